#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From raw answers to soft labels: a survey with percents, then plain votes. Every command is shown before it runs.
#
#     examples/demo.sh [FOLDER]      FOLDER: where the tables go (build/demo; installed, demo in the current folder)
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH=$PATH:$top/build
there=$top/build/demo
[ -e "$top/meson.build" ] || there=$PWD/demo
out=${1:-$there}
mkdir -p "$out"
cd "$out"
cp "$top"/examples/data/*.csv .

say () { printf '\n# %s\n' "$*"; }
run () {
  printf '$ %s\n' "$1"
  bash -euo pipefail -c "$1"
}

say 'A survey: first and second class with percents, and classes ruled out.'
run 'softlabel ingest --from jspsych --replace-percent 8p=80 survey.csv -o answers.parquet'
run 'softlabel show --rows 4 answers.parquet'

say 'Careless annotators and doubled sessions go; the reasons are kept.'
run 'softlabel exclude --dedupe exact --report annotators.parquet -v answers.parquet -o kept.parquet'

say 'Each answer becomes a distribution, the answers of an item one soft label.'
run 'softlabel redistribute --top 2 --spread clamp --repeats drop kept.parquet | softlabel aggregate --method auto -o labels.parquet'
run 'softlabel show --rows 6 labels.parquet'

say 'Plain votes need no more than this.'
run 'softlabel ingest --from long votes.csv | softlabel aggregate --method counts -o votes.parquet'
run 'softlabel show --rows 3 votes.parquet'

say 'Three training targets an item, each one annotator chosen at random; the same again for the same seed.'
run 'softlabel ingest --from long votes.csv | softlabel deaggregate --draws 3 --seed 1 | softlabel show --rows 3'

say 'A simulator, fitted to the survey, answers for its items as such people would; how far that is from what they said.'
run 'softlabel simulate fit kept.parquet -o fit.parquet'
run 'softlabel simulate elicit --model fit.parquet --annotators 5 --round 5 kept.parquet -o simulated.parquet'
run 'softlabel show --rows 2 simulated.parquet'
run 'softlabel simulate compare kept.parquet simulated.parquet | softlabel show'

say 'Votes of a made crowd, two in ten of which guess, and who they are found to be.'
run 'softlabel simulate crowd --items 2000 --classes cat,dog,fox --annotators 10 --crowd reliable=0.8,spammer=0.2 -o crowd.parquet'
run 'softlabel aggregate --method dawid-skene --annotators found.parquet crowd.parquet -o crowd-labels.parquet'
run 'softlabel show found.parquet'

say 'How the labels were made.'
run 'softlabel history labels.parquet'

printf '\nThe tables are in %s.\n' "$out"
