#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A night's job: what came in on one day becomes labels, which join those of other days.
#
#     examples/nightly.sh RAW/dt=2026-11-20 CLASSES FOLDER
#
# RAW/dt=... has files of answers, an answer a row, as CSV, JSON or Parquet, packed or not, or none: the day then has no labels. CLASSES
# has the classes, one a line, so that all days have the same. FOLDER/answers gets a file, FOLDER/labels a folder dt=... for the day; a day
# that is made again takes the place of what it was. FOLDER/labels.parquet has the labels of all days, FOLDER/agreement.csv how far people agree.
set -euo pipefail
day=$1 classes=$2 out=$3
mkdir -p "$out/answers"
softlabel ingest --from long --classes-from "$classes" --allow-empty --repeats drop "$day" \
  | softlabel exclude --min-answers 2 -o "$out/answers/${day##*/}.parquet"
softlabel aggregate "$out/answers/${day##*/}.parquet" -o "$out/labels/" --partition-by dt
softlabel agreement "$out/answers" -o "$out/agreement.csv"
softlabel cat "$out/labels" -o "$out/labels.parquet"
