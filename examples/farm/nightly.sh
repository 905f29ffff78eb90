#!/bin/sh
# A night over a suite: HEDDLE_FARM=tls://heddle:PASSWORD@SERVER:4222 ./nightly.sh ./my_tests
# Start workers before or after (ssh.sh, slurm.sbatch, kubernetes.yaml). Without a server: unset HEDDLE_FARM, and all
# processors of this machine work. After this machine was down, heddle farm attach --time=4h
# goes on.
exec heddle farm test --time=8h --keep-going --junit=heddle.xml --json=heddle.json "$@"
