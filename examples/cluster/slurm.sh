# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154  # $said
#
# Work as jobs of Slurm; to be sourced. SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT and the like, which sbatch reads itself, have its options.
command -v sbatch > /dev/null || fail 'no sbatch on the PATH'
after=

# job CODE OPTION...: hands in the CODE, bash, to run when the job before has gone well, and never if it has not. Prints the job's number.
job () {
  local number
  number=$(sbatch --parsable --job-name="${0##*/}" --kill-on-invalid-dep=yes ${after:+--dependency=afterok:$after} "${@:2}" <<< "#!/usr/bin/env bash
set -euo pipefail
i=\${SLURM_ARRAY_TASK_ID-}
$1") && echo "${number%;*}"
}

# each CODE I...: an array; its number is in $i.
each () {
  local tasks
  printf -v tasks '%s,' "${@:2}"
  after=$(job "$1" --array="${tasks%,}" --output="$said/%A-%a")
}

once () { after=$(job "$1" --output="$said/%j"); }

# last CODE: the same, and waits. sbatch --wait is content with a job that never ran, as one before it failed; so the job is asked.
last () {
  local number status=0
  number=$(job "$1" --output="$said/%j" --wait) || status=1
  sort -u "$said"/* >&2 # what several say is read once
  [[ $status -eq 0 && $(scontrol show job "$number") == *JobState=COMPLET* ]]
}
