# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154  # $said
#
# Work on this machine by GNU parallel; to be sourced. PARALLEL, which it reads itself, has its options.
[[ $(parallel --version 2> /dev/null) == *'GNU parallel'* ]] || fail 'no GNU parallel on the PATH'

# each CODE I...: the CODE, bash with its number in $i, for each I, as many at a time as there are processors.
each () {
  local status=0
  printf '%s\n' "$1" > "$said/code" # which may be longer than a word of a command line
  parallel "env i={} bash -euo pipefail ${said@Q}/code" ::: "${@:2}" 2> "$said/each" || status=1
  sort -u "$said/each" >&2 # what several say is read once
  return $status
}

# once CODE, last CODE: when all before has gone well.
once () { printf '%s\n' "$1" > "$said/code" && bash -euo pipefail "$said/code"; }
last () { once "$1"; }
