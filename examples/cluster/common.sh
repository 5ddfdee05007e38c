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
  [ ! -d "$1" ] || [ -e "$1/_words" ] || [ -z "$(ls -A "$1")" ] || fail "$1: has files that are not of this work; move them, or name another output"
  mkdir -p "$1"
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
