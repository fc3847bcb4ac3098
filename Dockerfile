# Dependencies and the package are separate stages: a change in app/ or a new version installs no dependency again.
FROM python:3.11-slim AS requirements
WORKDIR /src
COPY pyproject.toml ./
RUN python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > requirements.txt

FROM python:3.11-slim AS dependencies
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
RUN python -m venv --without-pip /opt/bestpair
COPY constraints.txt ./
COPY --from=requirements /src/requirements.txt ./
# Byte code stays: without it each start takes seconds longer, and a read-only root cannot keep it.
RUN python -m pip --python /opt/bestpair/bin/python install --constraint constraints.txt --requirement requirements.txt \
    && find /opt/bestpair -type d -name tests -prune -exec rm -r {} +

FROM dependencies AS package
RUN python -m pip install --constraint constraints.txt hatchling
COPY pyproject.toml README.md LICENSE ./
COPY alembic alembic
COPY app app
RUN python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && python -m pip --python /opt/bestpair/bin/python install --no-deps --root /package /wheels/*.whl

FROM python:3.11-slim
# Nothing is written outside /data (SQLite only) and /tmp: the root may be read-only.
RUN pip uninstall --yes pip setuptools wheel \
    && useradd --system --uid 10001 --home-dir /data bestpair && install -d -o bestpair /data
COPY --from=dependencies /opt/bestpair /opt/bestpair
COPY --from=package /package/opt/bestpair /opt/bestpair
# Plans use one core each (OMP, OPENBLAS): the others are for callers.
# A server that is not on loopback needs an access key: the first start makes one and prints it.
ENV PATH=/opt/bestpair/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OMP_NUM_THREADS=1 \
    OPENBLAS_NUM_THREADS=1 \
    BESTPAIR_HOST=0.0.0.0 \
    BESTPAIR_FIRST_KEY=print \
    BESTPAIR_DATABASE_URL=sqlite:////data/bestpair.db
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
CMD ["bestpair", "serve"]
