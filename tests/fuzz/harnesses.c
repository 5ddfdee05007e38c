/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"

#include <string.h>

#define INGEST(format, ...) "ingest --from " format " -q -j 1 -o out.arrows " __VA_ARGS__

const SlFuzz sl_fuzz_harnesses[] = {
  { "stream",
    "arrow",
    { "verify -q -j 1 in.arrows", "cat -j 1 in.arrows -o out.parquet", "show -j 1 in.arrows",
      "| cat -j 2 -o out.arrows" } },
  { "file",
    "arrow",
    { "verify -q -j 1 in.arrow", "cat -j 1 in.arrow -o out.arrows", "show -j 1 in.arrow",
      "id in.arrow" } },
  { "parquet", "arrow", { "verify -q -j 1 in.parquet", "cat -j 1 in.parquet -o out.arrows" } },
  { "round-trip", "arrow", .check = sl_fuzz_round_trip },
  { "text-trip", "arrow", .check = sl_fuzz_text_trip },
  { "made-table", NULL, .check = sl_fuzz_made_table },
  { "history", "json", .check = sl_fuzz_history },
  { "classes", "json", .check = sl_fuzz_classes },
  { "tags", "json", .check = sl_fuzz_tags },
  /* What cat writes, and reads again. */
  { "table-csv",
    "csv",
    { "cat -q -j 1 in.csv -o out.arrows", "| cat -q -j 2 --classes cat,dog -o out.arrows" } },
  { "table-json", "json", { "cat -q -j 1 in.jsonl -o out.arrows" } },

  /* CSV of answers. */
  { "csv-plain", "csv", .check = sl_fuzz_csv_plain },
  { "long",
    "csv",
    { INGEST ("long", "in.csv --no-provenance"),
      "| ingest --from long -q -j 2 -o out.arrows - --no-provenance" },
    .same = TRUE },
  { "jspsych",
    "csv",
    { INGEST ("jspsych", "in.csv"), INGEST ("jspsych", "in.csv --question Q0 --annotator p") } },
  { "counts", "csv", { INGEST ("counts", "in.csv") } },
  { "cifar10h", "csv", { INGEST ("cifar10h", "in.csv") } },
  { "mturk", "csv", { INGEST ("mturk", "in.csv"), INGEST ("mturk", "in.csv --question kind") } },
  { "toloka", "csv", { INGEST ("toloka", "in.tsv") } },
  { "qualtrics", "csv", { INGEST ("qualtrics", "in.csv") } },
  { "googleforms", "csv", { INGEST ("googleforms", "in.csv") } },
  { "wide",
    "csv",
    { INGEST ("wide", "in.csv"), INGEST ("wide", "in.csv --transpose --rejects out.csv") } },
  { "rodrigues", "csv", { INGEST ("rodrigues", "in.txt") } },
  { "hmix", "csv", { INGEST ("hmix", "in.csv") } },
  { "mixup", "csv", { INGEST ("mixup", "in.csv") } },
  { "labels",
    "csv",
    { INGEST ("labels", "in.csv --rescale 0.1"), INGEST ("labels", "in.csv --classes cat,dog") } },
  { "auto", "json", { INGEST ("auto", "in.json"), INGEST ("auto", "in.csv") } },

  /* Exports in JSON. */
  { "labelstudio",
    "json",
    { INGEST ("labelstudio", "in.json"), INGEST ("labelstudio", "in.json --question kind") } },
  { "prodigy", "json", { INGEST ("prodigy", "in.jsonl --reject-as no") } },
  { "doccano", "json", { INGEST ("doccano", "in.jsonl") } },
  { "groundtruth",
    "json",
    { INGEST ("groundtruth", "in.json --rejects out.csv"),
      INGEST ("groundtruth", "worker-response/iteration-1/0/in.json") } },
  { "argilla", "json", { INGEST ("argilla", "in.json") } },
  { "survey", "json", { INGEST ("survey", "in.json") } },
  { "peerannot",
    "json",
    { INGEST ("peerannot", "in.json"), INGEST ("peerannot", "in.json --transpose") } },
  { "wrench", "json", { INGEST ("wrench", "in.json") } },
  { "lewidi", "json", { INGEST ("lewidi", "in.json") } },
  { "jspsych-json", "json", { INGEST ("jspsych", "in.json --question Q0 --annotator p") } },
  { "long-json",
    "json",
    { INGEST ("long", "in.json --no-provenance"),
      "| ingest --from long -q -j 2 -o out.arrows - --no-provenance" },
    .same = TRUE },
  { "labels-json", "json", { INGEST ("labels", "in.json") } },
  { "zip", "zip", { INGEST ("doccano", "in.zip --annotator a") } },

  /* Arrays, images, examples. */
  { "npy",
    "npy",
    { INGEST ("npy", "in.npy --no-provenance"),
      "| ingest --from npy -q -j 1 -o out.arrows - --no-provenance" },
    .same = TRUE },
  { "npy-counts",
    "npy",
    { INGEST ("counts", "in.npy"), INGEST ("labels", "in.npy --classes a,b"),
      INGEST ("npy", "in.npy --labels in.npy"),
      "select -q --items=in.npy votes.arrows -o out.arrows" } },
  { "idx", "npy", { INGEST ("idx", "in.idx") } },
  { "cifar10", "npy", { INGEST ("cifar10", "in.bin") } },
  { "png", "png", { INGEST ("images", "in.png"), INGEST ("images", "in.png --resize 3x2") } },
  { "jpeg", "jpeg", { INGEST ("images", "in.jpg"), INGEST ("images", "in.jpg --resize 3x2") } },
  { "features", "csv", { INGEST ("table", "in.csv") } },
  { "features-parquet",
    "arrow",
    { INGEST ("table", "in.parquet"), INGEST ("long", "in.parquet") } },

  /* Lists, and other small files that options name. */
  { "class-list", "csv", { INGEST ("long", "--classes-from=in.txt votes.csv") } },
  { "class-text", "csv", { INGEST ("long", "--classes=TEXT votes.csv") } },
  { "class-map", "csv", { INGEST ("images", "--class-map=in.txt .") } },
  { "percents", "csv", { INGEST ("jspsych", "--replace-percent=TEXT survey.csv") } },
  { "gold", "csv", { INGEST ("long", "--gold=in.csv plain.csv") } },
  { "items",
    "csv",
    { INGEST ("labels", "--items=in.txt bare.csv"),
      "select -q --items=in.txt votes.arrows -o out.arrows" } },
  { "join",
    "csv",
    { "join -q --with=in.csv --columns=gold --existing=replace votes.arrows -o out.arrows" } },
  { "condition", "csv", { "select -q --where=TEXT votes.arrows -o out.arrows" } },
  { "costs",
    "csv",
    { "aggregate -q -j 1 --method=mean --cost=in.csv labels.arrows -o out.arrows",
      "score -q -j 1 --gold=votes.csv --cost=in.csv predictions.arrows -o out.arrows" } },
  { "prior",
    "csv",
    { "aggregate -q -j 1 --method=dawid-skene --gold=in.csv votes.arrows -o out.arrows",
      "aggregate -q -j 1 --method=dawid-skene --confusion-prior=in.csv votes.arrows -o "
      "out.arrows" } },
  { "vectors",
    "csv",
    { "redistribute -q --spread=semantic --vectors=in.txt votes.arrows -o out.arrows" } },
  { "safetensors",
    "json",
    { "predict -q -j 1 --model=in.safetensors features.arrows -o out.arrows",
      "train -q -j 1 --features=features.arrows --init=in.safetensors --epochs=1 labels.arrows -o "
      "out.safetensors" } },
  { NULL },
};

const SlFuzz *
sl_fuzz_find (const char *name)
{
  const SlFuzz *each = sl_fuzz_harnesses;
  while (each->name != NULL && strcmp (each->name, name) != 0)
    each++;
  return each->name != NULL ? each : NULL;
}
