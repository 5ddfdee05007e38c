# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# To be sourced by the tests here, which are run as `NAME SOFTLABEL HELPERS`: the program, and the folder of the programs
# built from the sources beside this file.

set -u
export LC_ALL=C.UTF-8
unset LANG LANGUAGE COLUMNS

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
samples=$(cd "$here/../../examples/data" && pwd)
[ $# -ge 2 ] && [ -x "$1" ] && [ -d "$2" ] || { echo "usage: ${0##*/} SOFTLABEL HELPERS" >&2; exit 2; }
softlabel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
helpers=$(cd "$2" && pwd)

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$scratch" || exit 1
: > "$scratch/trials"

softlabel() { "$softlabel" "$@"; }

# served: from here on the program is one that is loaded once. It is another process than the one that is started, so not for tests of
# kills, traces and memory. $real is the program itself.
real=$softlabel
. "$here/../served/begin.sh"
served() {
  local served
  begin_served "$softlabel" "$scratch"
  softlabel=$served
}

tap_count=0
tap_failed=0
tap_promise=${0##*/}

# promise NAME: what the checks from here on try, in one word; `figures` has the words for it.
promise() { tap_promise=$1; }

# check LABEL COMMAND...: one line of TAP; COMMAND runs by itself in an empty folder, with the samples made before in .. ;
# what it prints is shown if it fails; 77 is a skip. It is one trial, if it does not say how many.
check() {
  local label=$1 status counted
  shift
  counted=$(wc -c < "$scratch/trials")
  tap_count=$((tap_count + 1))
  rm -rf "$scratch/work"
  mkdir "$scratch/work"
  (cd "$scratch/work" && "$@") > "$scratch/report" 2>&1 < /dev/null
  status=$?
  if [ $status -eq 0 ]; then
    echo "ok $tap_count - $label"
    [ "$(wc -c < "$scratch/trials")" -ne "$counted" ] || trials 1
  elif [ $status -eq 77 ]; then
    echo "ok $tap_count - $label # SKIP $(tail -n 1 "$scratch/report")"
  else
    echo "not ok $tap_count - $label"
    head -n 40 "$scratch/report" | sed 's/^/# /'
    tap_failed=$((tap_failed + 1))
    echo "$tap_promise 0 1" >> "$scratch/trials"
  fi
}

# trials N: so many were tried; told at the end, for `figures`, by promise.
trials() {
  echo "$tap_promise $1 0" >> "$scratch/trials"
}

tap_end() {
  awk '{ n[$1] += $2; bad[$1] += $3 }
    END { for (name in n) print "# " name ": " n[name] " trials, " bad[name] " violations" }' "$scratch/trials" | sort
  echo "1..$tap_count"
  exit $((tap_failed > 0))
}

skip() {
  echo "$*"
  exit 77
}

# ends STATUS COMMAND...: runs COMMAND with its messages in the file err, and checks how it ends.
ends() {
  local wanted=$1 status
  shift
  "$@" 2> err
  status=$?
  [ $status -eq "$wanted" ] && return 0
  echo "$*: ended with status $status, not $wanted"
  cat err
  exit 1
}

# says PATTERN: the file err is one line, which an extended regular expression matches.
says() {
  [ "$(wc -l < err)" -eq 1 ] && [ -z "$(tail -c 1 err)" ] && grep -Eq -- "$1" err && return 0
  echo "expected one line like: $1"
  echo "it said:"
  cat err
  exit 1
}

says_nothing() {
  [ ! -s err ] && return 0
  echo "expected nothing on standard error:"
  cat err
  exit 1
}

# holds_only NAME...: these, err, out and nothing else is in the current folder, hidden files counted.
holds_only() {
  local found wanted
  found=$(find . -mindepth 1 ! -name err ! -name out -printf '%P\n' | sort)
  wanted=$([ $# -eq 0 ] || printf '%s\n' "$@" | sort)
  [ "$found" = "$wanted" ] && return 0
  echo "expected these files: $wanted"
  echo "found these: $found"
  exit 1
}

same() {
  cmp -- "$1" "$2" || exit 1
}
