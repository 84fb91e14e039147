#!/bin/sh
# A cluster by hand. On one machine:
#
#     tournaments/examples/cluster/by-hand.sh scheduler
#
# and on each machine that plays, with the address that the scheduler prints:
#
#     tournaments/examples/cluster/by-hand.sh worker tcp://HOST:8786
#
# A worker plays as many matches at once as it has threads: here, one for each core. The loop starts
# a part again that has ended; a worker ends when its scheduler does.
set -eu
part=$1
shift
while true; do
  case $part in
    scheduler) dask scheduler "$@" || true ;;
    worker) dask worker "$@" || true ;;
    *) echo "usage: $0 scheduler | worker ADDRESS" >&2 && exit 2 ;;
  esac
  sleep 2
done
