# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated input, kept in a folder by the number of rows: data.py NAME FOLDER ROWS prints its path."""
import argparse
import json
import os
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
STEP = 1 << 20  # whole batches


def kept(name):
    """Makes the file once, by a function that writes to the path it is given."""
    def decorate(function):
        def get(options):
            path = os.path.join(options.folder, name.format(options.rows))
            if not os.path.exists(path):
                print(f"  (making {os.path.basename(path)})", file=sys.stderr)
                function(options, path + ".part")
                os.rename(path + ".part", path)
            return path
        return get
    return decorate


def metadata(kind, n_classes=len(CLASSES)):
    return {"softlabel.table": kind, "softlabel.classes": json.dumps(CLASSES[:n_classes])}


def names(prefix, width, numbers):
    return pa.array(np.char.add(prefix, np.char.zfill(numbers.astype(str), width)))


def class_array(codes, n_classes=len(CLASSES)):
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(CLASSES[:n_classes]))


def steps(options):
    for start in range(0, options.rows, STEP):
        yield np.random.default_rng(start), min(STEP, options.rows - start)


@kept("votes-{}.csv")
def votes_csv(options, path):
    with open(path, "wb") as file:
        for i, (random, n) in enumerate(steps(options)):
            table = pa.table({"item": names("item", 7, random.integers(0, options.rows // 5, n)),
                              "worker": names("w", 5, random.integers(0, 5000, n)),
                              "label": pa.array(np.array(CLASSES)[random.integers(0, 10, n)])})
            pa.csv.write_csv(table, file, pa.csv.WriteOptions(include_header=i == 0, quoting_style="none"))


@kept("tasks-{}.json")
def label_studio(options, path):
    """An export of Label Studio with five answers a task, as its JSON has them."""
    rng = np.random.default_rng(5)
    with open(path, "w", encoding="utf-8") as out:
        for first in range(0, max(options.rows // 5, 1), 10_000):
            n = min(10_000, max(options.rows // 5, 1) - first)
            who, what = rng.integers(1000, size=(n, 5)), rng.integers(len(CLASSES), size=(n, 5))
            tasks = [{"id": first + i, "data": {"image": f"s3://bucket/images/{first + i}.png", "text": "what is to be seen " * 5},
                      "created_at": "2024-01-02T03:04:05.678901Z", "drafts": [], "predictions": [],
                      "annotations": [{"id": 5 * (first + i) + j, "completed_by": int(who[i, j]), "was_cancelled": False, "ground_truth": False,
                                       "created_at": "2024-01-02T03:04:05.678901Z", "updated_at": "2024-01-02T03:04:05.678901Z", "lead_time": 4.25,
                                       "result": [{"value": {"choices": [CLASSES[what[i, j]]]}, "id": "x9KfW1", "from_name": "kind", "to_name": "image",
                                                   "type": "choices", "origin": "manual"}]} for j in range(5)]} for i in range(n)]
            text = json.dumps(tasks)[1:-1]
            out.write(("[" if first == 0 else ",") + text)
        out.write("]")


def label_tables(options):
    for random, n in steps(options):
        p = random.random((n, 10))
        p /= p.sum(axis=1, keepdims=True)
        yield pa.table({"item": names("item", 7, random.integers(0, options.rows // 6, n)),
                        "annotator": names("w", 5, random.integers(0, 5000, n)),
                        "label": pa.FixedSizeListArray.from_arrays(pa.array(p.ravel()), 10),
                        "weight": np.ones(n)}).replace_schema_metadata(metadata("labels"))


def answer_tables(options):
    for random, n in steps(options):
        first = random.integers(0, 10, n)
        second = (first + random.integers(1, 10, n)) % 10
        percents = np.stack([random.integers(40, 101, n), random.integers(0, 41, n)], axis=1).astype(float)
        choice = pa.StructArray.from_arrays([class_array(np.stack([first, second], axis=1).ravel()), pa.array(percents.ravel())],
                                            names=["class", "percent"])
        ruled_out = (first[:, None] + 1 + np.arange(3)) % 10
        yield pa.table({"item": names("item", 7, random.integers(0, options.rows // 6, n)),
                        "annotator": names("w", 5, random.integers(0, 5000, n)),
                        "choices": pa.ListArray.from_arrays(pa.array(np.arange(0, 2 * n + 1, 2, dtype=np.int32)), choice),
                        "impossible": pa.ListArray.from_arrays(pa.array(np.arange(0, 3 * n + 1, 3, dtype=np.int32)),
                                                               class_array(ruled_out.ravel()))
                        }).replace_schema_metadata(metadata("annotations"))


def write_stream(tables, path):
    writer = None
    with pa.OSFile(path, "wb") as file:
        for table in tables:
            writer = writer or pa.ipc.new_stream(file, table.schema)
            writer.write_table(table, max_chunksize=1 << 14)
        writer.close()


@kept("labels-{}.arrows")
def labels_stream(options, path):
    write_stream(label_tables(options), path)


@kept("answers-{}.arrows")
def answers_stream(options, path):
    write_stream(answer_tables(options), path)


@kept("labels-{}.parquet")
def labels_parquet(options, path):
    writer = None
    for table in label_tables(options):
        writer = writer or pa.parquet.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=122_880)
    writer.close()


def distributions(which):
    """Labels of items that come once, in one order: what people say, and what a model does."""
    def tables(options):
        for number, (random, n) in enumerate(steps(options)):
            people = np.random.default_rng([1, number]).dirichlet(np.full(10, 0.3), n)
            p = people if which == "people" else 0.7 * people + 0.3 * random.dirichlet(np.full(10, 0.5), n)
            yield pa.table({"item": names("item", 8, np.arange(number * STEP, number * STEP + n)),
                            "label": pa.FixedSizeListArray.from_arrays(pa.array(p.ravel()), 10),
                            "weight": np.ones(n)}).replace_schema_metadata(metadata("labels"))

    def make(options, path):
        writer = None
        for table in tables(options):
            writer = writer or pa.parquet.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table, row_group_size=122_880)
        writer.close()
    return kept(f"{which}-{{}}.parquet")(make)


def crowd_tables(options, n_classes):
    """Eight answers an item by 1,000 annotators, right in 50 to 95 of 100."""
    right = np.random.default_rng(n_classes).uniform(0.5, 0.95, 1000)
    for random, n in steps(options):
        item, annotator = random.integers(0, options.rows // 8, n), random.integers(0, 1000, n)
        true = item * 7919 % n_classes
        wrong = (true + random.integers(1, n_classes, n)) % n_classes
        yield pa.table({"item": names("item", 8, item), "annotator": names("w", 4, annotator),
                        "class": class_array(np.where(random.random(n) < right[annotator], true, wrong), n_classes)
                        }).replace_schema_metadata(metadata("annotations", n_classes))


def crowd(n_classes):
    return kept(f"crowd-{n_classes}-{{}}.arrows")(lambda options, path: write_stream(crowd_tables(options, n_classes), path))


MAKERS = {"votes": votes_csv, "label-studio": label_studio, "labels": labels_stream, "answers": answers_stream, "labels-parquet": labels_parquet,
          "people": distributions("people"), "model": distributions("model"),
          "crowd-2": crowd(2), "crowd-4": crowd(4), "crowd-10": crowd(10)}

if __name__ == "__main__":
    name, folder, rows = sys.argv[1:]
    print(MAKERS[name](argparse.Namespace(folder=folder, rows=int(rows))))
