#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Dawid and Skene's model of answers in several PARTs, all answers to an item in one of them: its labels after ROUNDS rounds, those of
# `softlabel aggregate --method dawid-skene --iterations ROUNDS --tolerance 0 PART...`, but for the last bits.
#
#     dawid-skene.sh parallel|slurm ROUNDS OUTPUT PART...
#     dawid-skene.sh slurm 20 labels.parquet votes/*.parquet
#
# OUTPUT.rounds has what was learned in each round, from where it goes on when run again.
set -euo pipefail
# shellcheck source=examples/cluster/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$@"
[[ $# -ge 4 && $2 =~ ^[1-9][0-9]{0,5}$ ]] || usage
rounds=$2 output=$3 work=$3.rounds
shift 3
for part; do
  [ -e "$part" ] || fail "$part: no such file"
done

begin "$work" "$@"
here=${work@Q}
part="parts=(${*@Q}); softlabel aggregate --method dawid-skene -j 1 \"\${parts[i - 1]}\""
sums=() labels=()
for ((i = 1; i <= $#; i++)); do
  sums+=("$work/sums-$i.parquet") labels+=("$work/labels-$i.parquet")
done
theta='' stale=''
for ((round = 1; round <= rounds; round++)); do
  next=theta-$round.parquet
  if [ "$stale" ] || outdated "$work/$next" "$@" "$program" ${theta:+"$work/$theta"}; then
    stale=yes
    each "$part --no-provenance --partial ${theta:+--init $here/$theta} -o $here/sums-\$i.parquet" $(seq $#)
    once "softlabel cat ${sums[*]@Q} | softlabel aggregate --no-provenance --merge -o $here/$next"
  fi
  theta=$next
done
each "$part --frozen --init $here/$theta -o $here/labels-\$i.parquet" $(seq $#)
# An item of two parts would be there twice, which aggregate --sorted refuses.
last "softlabel cat ${labels[*]@Q} | softlabel aggregate --sorted > /dev/null
  softlabel cat --if-changed ${labels[*]@Q} -o ${output@Q}"
