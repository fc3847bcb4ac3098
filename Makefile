# Every target makes .venv itself and only redoes what changed.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help install serve demo check test coverage torture browser clean

help: ## show the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

install: $(INSTALLED) ## make .venv with bestpair and everything it needs

serve: install ## run the service on SQLite (BESTPAIR_HOST, _PORT, _DATABASE_URL, _WORKERS)
	$(BIN)/bestpair serve

demo: install ## see it work: the service, a simulated shop, certified in about a minute
	$(BIN)/bestpair demo

check: install ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: check ## all checks and all tests
	$(BIN)/python -m pytest -n auto

coverage: install ## how often certificates and bounds are wrong, 400 sessions a cell (an hour)
	$(BIN)/python -m tests.statistics.coverage --runs 400

torture: install ## the fault tests, long: 50 kills on each database, outages, overload, several processes
	BESTPAIR_TEST_KILLS=50 $(BIN)/python -m pytest tests/e2e tests/storage

browser: install ## install what browser tests need (there is no page yet)
	@echo "There is no page to test yet: nothing to install."

clean: ## remove the environment and caches
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
