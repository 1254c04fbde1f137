#!/bin/sh
# Creates the user and the database on an empty volume, then serves, without root.
set -eu
cd /var/lib/postgresql/data
bin=$(echo /usr/lib/postgresql/*/bin)
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s PG_VERSION ]; then
  if [ -z "${POSTGRES_PASSWORD:-}" ]; then
    echo "POSTGRES_PASSWORD is empty." >&2
    exit 1
  fi
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  chown postgres . /tmp/password
  as_postgres "$bin/initdb" --pgdata=. --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo "host all all all scram-sha-256" >>pg_hba.conf
  echo "CREATE DATABASE $POSTGRES_DB" | as_postgres "$bin/postgres" --single -D . postgres
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/postgres" -D . -c listen_addresses='*'
