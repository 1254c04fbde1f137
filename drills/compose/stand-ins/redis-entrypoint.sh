#!/bin/sh
# Runs redis-server without root and, as in the official image, without the protected mode of Debian.
set -eu
if [ "$1" != redis-server ]; then exec "$@"; fi
shift
exec setpriv --reuid=redis --regid=redis --clear-groups redis-server --protected-mode no --dir /data "$@"
