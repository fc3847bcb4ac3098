#!/bin/sh
# Makes stand-ins for the three base images from Debian packages, for machines that reach no image registry.
#
#   sudo tests/deployment/stand_in_images.sh [FOLDER]
#
# They carry the names that Dockerfile and docker-compose.yml use, so both work unchanged. FOLDER is copied over the root
# of the Python image: a place for an /etc/pip.conf or certificates that this machine's package index needs.
# Needs root, debootstrap and a Docker daemon. An image that exists already is left alone.
set -eu
extra=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

missing() {
    ! docker image inspect "$1" > /dev/null 2>&1
}

# root NAME SUITE PACKAGES: a Debian root folder without caches and documentation.
root() {
    debootstrap --variant=minbase --include="$3" "$2" "$work/$1" > "$work/$1.log" || { tail "$work/$1.log"; exit 1; }
    rm -rf "$work/$1"/var/cache/apt/* "$work/$1"/var/lib/apt/lists/* "$work/$1"/var/log/* \
        "$work/$1"/usr/share/doc/* "$work/$1"/usr/share/man/* "$work/$1"/usr/share/locale/*
}

# image NAME TAG: imports the root folder; the instructions on stdin are added to it.
image() {
    tar --numeric-owner -C "$work/$1" -c . | docker import - "$2"
    { echo "FROM $2" && cat; } | docker build --quiet --tag "$2" -
    rm -rf "${work:?}/$1"
}

if missing python:3.11-slim; then
    root python bookworm ca-certificates,python3,python3-venv
    # As in the real one, `python` and its pip are in /usr/local.
    chroot "$work/python" python3 -m venv /usr/local
    [ -z "$extra" ] || cp -R "$extra/." "$work/python/"
    image python python:3.11-slim <<'END'
ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["python"]
END
fi

if missing postgres:16; then
    root postgres bookworm postgresql
    rm -rf "$work/postgres/etc/postgresql" "$work/postgres"/var/lib/postgresql/*
    cat > "$work/postgres/usr/local/bin/entrypoint" <<'END'
#!/bin/sh
# As the real one: the first start makes the database, while only the container itself can connect.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
export PGDATA=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
    chown postgres: "$PGDATA" && chmod 700 "$PGDATA"
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    printf '%s\n' "$POSTGRES_PASSWORD" > /tmp/password
    initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8
    rm /tmp/password
    echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
    pg_ctl --wait --options="-c listen_addresses=''" start
    createdb --username="$POSTGRES_USER" --maintenance-db=postgres "$POSTGRES_DB"
    pg_ctl --wait --mode=fast stop
fi
exec "$@"
END
    chmod 755 "$work/postgres/usr/local/bin/entrypoint"
    install -d -m 1777 "$work/postgres/run/postgresql" "$work/postgres/var/lib/postgresql/data"
    ln -s "$(cd "$work/postgres" && echo usr/lib/postgresql/*/bin)" "$work/postgres/postgresql-bin"
    image postgres postgres:16 <<'END'
ENV PATH=/postgresql-bin:/usr/sbin:/usr/bin:/sbin:/bin
ENTRYPOINT ["/usr/local/bin/entrypoint"]
CMD ["postgres", "-c", "listen_addresses=*"]
STOPSIGNAL SIGINT
VOLUME /var/lib/postgresql/data
END
fi

if missing nginxinc/nginx-unprivileged:1.28; then
    root nginx sid curl,nginx-light # 1.27.3 or newer is needed
    cat > "$work/nginx/etc/nginx/nginx.conf" <<'END'
pid /tmp/nginx.pid;
error_log /dev/stderr notice;
events { worker_connections 1024; }
http {
  client_body_temp_path /tmp/client_temp;
  proxy_temp_path /tmp/proxy_temp;
  fastcgi_temp_path /tmp/fastcgi_temp;
  uwsgi_temp_path /tmp/uwsgi_temp;
  scgi_temp_path /tmp/scgi_temp;
  include /etc/nginx/conf.d/*.conf;
}
END
    image nginx nginxinc/nginx-unprivileged:1.28 <<'END'
USER 101
CMD ["nginx", "-g", "daemon off;"]
STOPSIGNAL SIGQUIT
END
fi
for tag in python:3.11-slim postgres:16 nginxinc/nginx-unprivileged:1.28; do
    docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' "$tag"
done
