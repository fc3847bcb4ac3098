# Two stages: the first builds the environment, the second carries it and nothing else.
FROM python:3.11-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
RUN python -m venv /opt/bestpair
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY alembic alembic
COPY app app
RUN /opt/bestpair/bin/python -m pip install --constraint constraints.txt .

FROM python:3.11-slim
# Plans use one core each (OMP, OPENBLAS): the others are for callers.
# Nothing is written outside /data (SQLite only) and /tmp: the root may be read-only.
RUN useradd --system --uid 10001 --home-dir /data bestpair && install -d -o bestpair /data
COPY --from=build /opt/bestpair /opt/bestpair
ENV PATH=/opt/bestpair/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OMP_NUM_THREADS=1 \
    OPENBLAS_NUM_THREADS=1 \
    BESTPAIR_HOST=0.0.0.0 \
    BESTPAIR_DATABASE_URL=sqlite:////data/bestpair.db
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
CMD ["bestpair", "serve"]
