# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016  # $said; the inner shell's $code
#
# Work on this machine by GNU parallel; to be sourced. PARALLEL, which it reads itself, has its options.
[[ $(parallel --version 2> /dev/null) == *'GNU parallel'* ]] || fail 'no GNU parallel on the PATH'

# each CODE I...: the CODE, bash with its number in $i, for each I, as many at a time as there are processors.
each () {
  local status=0
  code=$1 parallel 'env i={} bash -euo pipefail -c "$code"' ::: "${@:2}" 2> "$said/each" || status=1
  sort -u "$said/each" >&2 # what several say is read once
  return $status
}

# once CODE, last CODE: when all before has gone well.
once () { bash -euo pipefail -c "$1"; }
last () { once "$1"; }
