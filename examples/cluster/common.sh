# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# What both recipes stand on; to be sourced with the recipe's arguments.
usage () { sed -n 's/^#     //p' "$0" >&2; exit 2; }
fail () { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# outdated FILE INPUT...: FILE is not there, or older than an INPUT, which may be a folder.
outdated () { [ ! -e "$1" ] || [ -n "$(find -L "${@:2}" -newer "$1" -print -quit)" ]; }

# begin FOLDER WORD...: FOLDER is there, with no table in it that was made by other WORDs.
begin () {
  local words
  [ -e "$1/_words" ] || ! compgen -G "$1/*.parquet" > /dev/null || fail "$1: has tables that are not of this work; move them, or name another output"
  mkdir -p "$1"
  exec {lock}> "$1/_lock" # until this program, and all that it has started, ends
  flock -n "$lock" || fail "$1: another run is at work there"
  words=$(printf '%q ' "${@:2}")
  if [ ! -e "$1/_words" ] || [ "$(< "$1/_words")" != "$words" ]; then
    rm -f "$1"/*.parquet
    printf '%s\n' "$words" > "$1/_words"
  fi
  said=$1/_said
  rm -rf "$said"
  mkdir "$said"
}

# shellcheck disable=SC2034  # the recipes'
program=$(command -v softlabel) || fail 'no softlabel on the PATH'
# shellcheck disable=SC1090  # one of these two
case ${1-} in
  parallel | slurm) . "${BASH_SOURCE[0]%/*}/$1.sh" ;;
  *) usage ;;
esac
