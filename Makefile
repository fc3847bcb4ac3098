# Every target makes .venv itself and only redoes what changed.
PYTHON ?= python3
BIN := .venv/bin
RUNS := .venv/.runs
INSTALLED := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help install serve demo check unit test docker-test coverage torture browser nginx pgbouncer screenshots clean

help: ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Running needs less than half of the packages that testing needs, so the demo does not install the rest.
$(RUNS): pyproject.toml constraints.txt
	@echo 'Installing bestpair into .venv; this takes a minute, once.'
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(INSTALLED): $(RUNS)
	@echo 'Installing what checks and tests need into .venv; this takes one or two minutes, once.'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

install: $(INSTALLED) ## make .venv with bestpair and everything that checks and tests need

serve: $(RUNS) ## run the service on SQLite (BESTPAIR_HOST, _PORT, _DATABASE_URL, _WORKERS)
	@$(BIN)/bestpair serve

demo: $(RUNS) ## run the service with a simulated shop, certified in less than a minute
	@$(BIN)/bestpair demo

check: install ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

unit: install ## the tests that need no database and no server: under a minute
	$(BIN)/python -m pytest -q -n auto -m unit

test: check ## all checks and all tests
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=15

docker-test: install ## Docker: build, up, kills, upgrade, backup and restore as documented (needs a daemon and base images)
	@if $(BIN)/python -m tests.deployment.docker; then $(BIN)/python -m pytest -rP tests/deployment/docker_checks.py; fi

coverage: install ## how often certificates and bounds are wrong, 400 sessions a cell (half an hour or more)
	$(BIN)/python -u -m tests.statistics.coverage --runs 400

torture: install ## the fault tests, long: 50 kills on each database and on two servers, pauses, outages, full disk, overload
	BESTPAIR_TEST_KILLS=50 BESTPAIR_TEST_FAULTS=10 $(BIN)/python -m pytest -n 2 --dist worksteal --durations=15 tests/e2e tests/database

# Debian, Ubuntu: installs packages, as root or with sudo.
APT = if [ "$$(id -u)" = 0 ]; then as=; else as=sudo; fi; \
  $$as apt-get update -qq && $$as apt-get install -y -qq --no-install-recommends

browser: install ## install a browser, if there is none: the dashboard is then tested too (Debian, Ubuntu)
	@$(BIN)/python -m tests.browser.browsers || { $(APT) chromium fonts-dejavu-core; }

nginx: install ## install nginx, if there is none: the gateway of docker-compose.yml is then tested too (Debian, Ubuntu)
	@$(BIN)/python -m tests.deployment.nginx || { $(APT) nginx-light; }

pgbouncer: install ## install PgBouncer, if there is none: the service is then tested behind it too (Debian, Ubuntu)
	@$(BIN)/python -m tests.deployment.pgbouncer || { $(APT) pgbouncer; }

screenshots: install ## take the screenshots in docs/images again
	$(BIN)/python -m tests.browser.screenshots

clean: ## remove the environment and caches
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
