#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A study in a lab: the page that people answer on, and what becomes of their answers.
#
#     examples/lab.sh CLASSES ITEMS ANSWERS FOLDER
#
# CLASSES has the classes, one a line; ITEMS is a folder of pictures or a CSV file of texts. ANSWERS is the folder of the files that the page
# handed out or sent; examples/data/lab has all three. FOLDER/study gets the page, FOLDER/people.csv who was left out and why,
# FOLDER/agreement.csv how far people agree and how well labels are known, FOLDER/labels.parquet the labels, FOLDER/report.html pictures of it all.
set -euo pipefail
classes=$1 items=$2 answers=$3 out=$4
mkdir -p "$out"
softlabel survey --classes "$classes" --items "$items" --batch 14 --seed 11 -o "$out/study"
softlabel ingest --from survey "$answers" -o "$out/answers.parquet"
softlabel exclude --min-seconds 1 --report "$out/people.csv" "$out/answers.parquet" -o "$out/kept.parquet"
softlabel agreement --repeats drop "$out/kept.parquet" -o "$out/agreement.csv"
softlabel redistribute --repeats drop "$out/kept.parquet" | softlabel aggregate -o "$out/labels.parquet"
texts=()
[ -d "$items" ] || texts=(--text "$items")
softlabel report "${texts[@]}" "$out/answers.parquet" "$out/kept.parquet" "$out/labels.parquet" -o "$out/report.html"
