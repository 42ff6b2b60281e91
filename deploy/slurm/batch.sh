#!/bin/bash
# An array job of Slurm that runs a command of rs-ros-node over all recordings of a folder or bucket:
#
#   sbatch --array=0-7 deploy/slurm/batch.sh check /archive/raw -o /archive/checked
#
# The task's number is its shard. A task that is requeued, or submitted again, does what is left. The exit code is 3 if a
# recording lost something, and 1 if one failed; Slurm shows both as FAILED.
#SBATCH --job-name=rs-ros-node
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=batch-%A_%a.jsonl
#SBATCH --error=batch-%A_%a.log
set -euo pipefail

exec rs-ros-node batch "$@" --jobs "${SLURM_CPUS_PER_TASK:-1}"
