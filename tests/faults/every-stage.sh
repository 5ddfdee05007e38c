# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# To be sourced after tap.sh: one run or more of every verb, on little, and the tables for that, in the folder $scratch/in.

mkdir "$scratch/in" && cd "$scratch/in" || exit 1
head -n 200 "$samples/votes.csv" > votes.csv
head -n 120 "$samples/survey.csv" > survey.csv
awk -F, 'NR == 1 { print "item,text,gold" } NR > 1 && NR < 41 { print $1 ",text " NR "," }' "$samples/truth.csv" > texts.csv
awk 'BEGIN {
  print "item,annotator,first_class,second_class,lambda,human,confidence"
  for (i = 0; i < 40; i++) for (w = 0; w < 3; w++)
    printf "m%d,w%d,%s,%s,%.2f,%.2f,%.2f\n", i, w, i % 2 ? "cat" : "dog", i % 3 ? "ship" : "deer", i % 10 / 10, (i * 7 + w * 3) % 11 / 11, (i + w) % 5 / 5 }' > mixed.csv
cp "$samples/truth.csv" "$samples/embeddings.parquet" .
make_tables() {
  softlabel ingest -q --from long votes.csv -o votes.arrows &&
    softlabel ingest -q --from jspsych --replace-percent 8p=80 survey.csv -o answers.parquet &&
    softlabel exclude -q --max-violations range=0 answers.parquet -o kept.arrows &&
    softlabel redistribute -q kept.arrows -o labels.arrows &&
    softlabel aggregate -q labels.arrows -o soft.arrows &&
    softlabel aggregate -q votes.arrows -o items.arrows &&
    softlabel control --as uniform items.arrows -o uniform.arrows &&
    softlabel ingest -q --from mixup mixed.csv -o mixed.arrows &&
    softlabel simulate fit -q kept.arrows -o fit.arrows &&
    softlabel train -q --features embeddings.parquet --model softmax --epochs 1 items.arrows -o model.safetensors &&
    softlabel select -q --sample 30 embeddings.parquet -o features.parquet &&
    softlabel predict -q --model model.safetensors features.parquet -o predictions.arrows &&
    softlabel agreement -q votes.arrows -o scores.arrows
}
make_tables || { echo 'Bail out! no tables for the stages'; exit 1; }
cd "$scratch" || exit 1

# What a verb writes: table, text, bytes (of no table), page, folder; then its arguments, with files of in/.
every_stage=(
  'folder survey -q --task vote --classes yes,no --items texts.csv --batch 20'
  'table ingest -q --from long votes.csv'
  'table ingest -q --from jspsych --replace-percent 8p=80 survey.csv'
  'table exclude -q kept.arrows'
  'table redistribute -q kept.arrows'
  'table aggregate -q labels.arrows'
  'table aggregate -q --method dawid-skene votes.arrows'
  'table deaggregate --draws 2 items.arrows'
  'table simulate fit -q kept.arrows'
  'table simulate elicit -q --model fit.arrows soft.arrows'
  'table simulate crowd -q --items 60 --classes cat,dog --annotators 5'
  'table simulate compare -q kept.arrows kept.arrows'
  'table simulate fit-mixup -q mixed.arrows'
  'table simulate mixup -q items.arrows'
  'table agreement -q votes.arrows'
  'table judge -q --gold=truth.csv votes.arrows'
  'table select -q --sample 5 items.arrows'
  'table overlay -q items.arrows uniform.arrows'
  'table control -q --as uniform items.arrows'
  'table join -q --with truth.csv --columns gold items.arrows'
  'bytes train -q --features embeddings.parquet --model softmax --epochs 1 items.arrows'
  'table predict -q --model model.safetensors features.parquet'
  'table doubts -q --inner --predictions predictions.arrows items.arrows'
  'table cost -q --annotators 3 --seconds 1.8 scores.arrows'
  'table score -q --gold=truth.csv items.arrows'
  'table compare -q --resamples 10 items.arrows uniform.arrows'
  'text pivot scores.arrows'
  'page report scores.arrows items.arrows'
  'text show items.arrows'
  'table cat votes.arrows votes.arrows'
  'text describe'
  'text schema labels'
  'text id votes.arrows items.arrows'
  'text verify votes.arrows answers.parquet'
  'text history soft.arrows'
  'text cache ls --cache .'
  'text cache prune --outdated --cache .'
  'text cache why --cache . aggregate votes.arrows'
)

# verb_of ARGUMENT...: one word of two
verb_of() {
  [[ $1 =~ ^(simulate|cache)$ ]] && echo "$1 $2" || echo "$1"
}

# Every verb of --help has its place above.
no_verb_forgotten() {
  local stage verb verbs
  verbs=$(for stage in "${every_stage[@]}"; do
    # shellcheck disable=SC2086
    verb_of ${stage#* }
  done)
  "$softlabel" --help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)   *[^ ].*/\1/p' > in-help
  [ "$(wc -l < in-help)" -gt 30 ] || { echo 'no verbs in --help'; exit 1; }
  while read -r verb; do
    grep -qx -- "$verb" <<< "$verbs" || { echo "$verb is not tried"; exit 1; }
  done < in-help
}
