#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A paper's day: from what a crowd answered to its tables and figures.
#
#     examples/paper-day.sh VOTES TRUTH FEATURES FOLDER
#
# VOTES has an answer a row (item, annotator, class), as CSV, Parquet or another form that `ingest` reads; TRUTH the items' true classes, which
# nothing but the scores sees; FEATURES what a network is given, as `ingest` makes it of images or tables. FOLDER gets the labels of three methods,
# a network trained on each, scores.parquet, labels.tex and networks.tex (how good they are), test.tex (two against each other, with p), and figures/, as
# SVG and, where librsvg is there, PDF: `\usepackage{booktabs}`, `\input{labels}`, `\includegraphics{figures/...}`.
set -euo pipefail
votes=$1 truth=$2 features=$3 out=$4
methods='majority dawid-skene auto'
mkdir -p "$out"
softlabel ingest -q --from long "$votes" -o "$out/votes.parquet"
for method in $methods; do
  softlabel aggregate -q --method "$method" --tag labels="$method" "$out/votes.parquet" -o "$out/labels-$method.parquet"
  softlabel train -q --features "$features" --model softmax --epochs 20 "$out/labels-$method.parquet" -o "$out/model-$method.safetensors"
  softlabel predict -q --model "$out/model-$method.safetensors" "$features" -o "$out/predictions-$method.parquet"
  for of in labels predictions; do
    softlabel score -q --tag of="$of" --gold="$truth" --interval bootstrap "$out/$of-$method.parquet" -o "$out/scores-$of-$method.parquet"
  done
done
softlabel cat "$out"/scores-*-*.parquet -o "$out/scores.parquet"
metrics=accuracy,log_loss,brier,ece
softlabel pivot --rows labels --metrics $metrics --as latex "$out"/scores-labels-*.parquet -o "$out/labels.tex"
softlabel pivot --rows labels --metrics $metrics --as latex "$out"/scores-predictions-*.parquet -o "$out/networks.tex"
softlabel compare -q --gold="$truth" --names majority,dawid-skene --tag labels= --metrics $metrics "$out"/predictions-{majority,dawid-skene}.parquet -o "$out/test.parquet"
softlabel pivot --as latex "$out/test.parquet" -o "$out/test.tex"
softlabel agreement -q "$out/votes.parquet" -o "$out/agreement.csv"
softlabel report -q --figures "$out/figures" --figures-as auto "$out"/{votes,scores}.parquet "$out"/predictions-*.parquet
