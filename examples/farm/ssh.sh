#!/bin/sh
# Workers on other machines, by ssh: HEDDLE_FARM=tls://heddle:PASSWORD@SERVER:4222 ./ssh.sh HOST…
# The address goes by standard input: a command line can be read by everybody on the machine.
set -eu
: "${HEDDLE_FARM:?is to be the address of the server}"
for host in "$@"; do
  printf '%s\n' "$HEDDLE_FARM" |
    ${SSH:-ssh} "$host" 'read -r HEDDLE_FARM; export HEDDLE_FARM; exec heddle worker -j "$(nproc)"' &
done
wait
