#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A stage that works row by row, on N shards of INPUT side by side. What they make, one after the other, is what one process makes.
#
#     stage.sh parallel|slurm N INPUT OUTPUT STAGE [OPTION...]
#     stage.sh slurm 8 votes/ labels.parquet redistribute --top 2
#     stage.sh slurm 10 - votes.parquet simulate crowd --items 1000000000 --classes 10 --annotators 1000
#
# OUTPUT.parts has the parts. Those that are there already, made by the same words and newer than all files that these name, are not made again.
set -euo pipefail
# shellcheck source=examples/cluster/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$@"
[[ $# -ge 5 && $2 =~ ^[1-9][0-9]{0,5}$ ]] || usage
n=$2 input=$3 output=$4 parts=$4.parts
shift 4
case "$1 ${2-}" in
  redistribute\ * | predict\ * | cat\ * | 'simulate elicit' | 'simulate mixup' | 'select --where') ;;
  'simulate crowd') [[ $input != - ]] || input='' ;;
  *) fail "$1 is not known to work row by row" ;;
esac
[[ -z $input || -e $input ]] || fail "$input: no such file or folder"
[[ "$1 ${2-}" != 'simulate elicit' || $(softlabel show --rows 1 "$input") == labels* ]] ||
  fail "$input: simulate elicit is given labels here; it adds up the answers to an item, which shards may have in two parts"

begin "$parts" "$n" "$input" "$@"
inputs=(${input:+"$input"} "$program")
for word; do
  [ ! -f "${word#--*=}" ] || inputs+=("${word#--*=}")
done
files=() todo=()
for ((i = 1; i <= n; i++)); do
  files+=("$parts/$i.parquet")
  ! outdated "$parts/$i.parquet" "${inputs[@]}" || todo+=("$i")
done
printf -v stage '%q ' "$@" ${input:+"$input"}
[ ${#todo[@]} -eq 0 ] || each "softlabel $stage --shard \$i/$n -j 1 -o ${parts@Q}/\$i.parquet" "${todo[@]}"
last "softlabel cat --if-changed ${files[*]@Q} -o ${output@Q}"
