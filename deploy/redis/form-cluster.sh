#!/bin/sh
# Creates a Redis Cluster from nodes given as address:port: half of them masters, with one replica each. Waits until every
# node serves. An existing cluster is left unchanged.
set -eu

# Nodes must be addresses: the cluster does not accept host names here.
nodes="$*"
first=$1
cli() {
  node=$1
  shift
  redis-cli -h "${node%:*}" -p "${node##*:}" "$@"
}

assigned=$(cli "$first" cluster info | tr -d '\r' | sed -n 's/^cluster_slots_assigned://p')
case "$assigned" in
  16384) echo "The cluster exists." ;;
  0) redis-cli --cluster create $nodes --cluster-replicas 1 --cluster-yes ;;
  *)
    echo "A cluster was only partly created: $assigned of 16384 slots. See docs/runbook.md, Redis." >&2
    exit 1
    ;;
esac

tries=0
for node in $nodes; do
  until cli "$node" cluster info | grep -q '^cluster_state:ok'; do
    tries=$((tries + 1))
    if [ "$tries" -gt 60 ]; then
      echo "$node does not serve after a minute: redis-cli --cluster check $first" >&2
      exit 1
    fi
    sleep 1
  done
done
echo "Every node serves."
