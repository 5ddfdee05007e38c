# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers and distributions that pandas, Polars and DuckDB have written, on the way in; and what softlabel has written, on the way back.

    answers.py SOFTLABEL          (in TAP)
"""

import json
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq

from tables import report, rows_of, softlabel

VOTES = pd.DataFrame(
    {
        "task": ["a", "a", "b", "b", "ç,\"d\"\n2"],
        "worker": [1, 2, 1, 2, 1],
        "label": ["cat", "dog", "cat", "cat", "dog"],
        "seconds": [1.5, None, 2.0, 0.25, 3.0],
    }
)
WANTED = [
    {"item": item, "annotator": str(who), "class": label, "seconds": None if np.isnan(seconds) else seconds}
    for item, who, label, seconds in VOTES.itertuples(index=False)
]
SOFT = pd.DataFrame({"item": ["a", "b"], "cat": [0.25, 1.0], "dog": [0.75, 0.0]})
SOFT_ROWS = [
    {"item": "a", "label": {"cat": 0.25, "dog": 0.75}, "weight": 1},
    {"item": "b", "label": {"cat": 1, "dog": 0}, "weight": 1},
]


def ingested(*words):
    softlabel("ingest", "-q", *words, "-o", "in.arrows")
    return rows_of("in.arrows")


def check_votes(path):
    found = ingested("--from", "long", path)
    assert found == WANTED, found


def pandas_parquet():
    VOTES.to_parquet("x.parquet")
    check_votes("x.parquet")


def pandas_feather():
    for compression in ["uncompressed", "zstd"]:
        VOTES.to_feather("x.feather", compression=compression)
        check_votes("x.feather")


def pandas_csv_and_json():
    VOTES.to_csv("x.csv")
    check_votes("x.csv")
    VOTES.to_json("x.jsonl", orient="records", lines=True)
    check_votes("x.jsonl")
    VOTES.to_json("x.json", orient="records")
    check_votes("x.json")


def pandas_order():
    """The classes of an ordered column keep their order, and those that nobody answered."""
    frame = VOTES.assign(label=pd.Categorical(VOTES["label"], ["wolf", "dog", "cat"], ordered=True))
    frame.to_feather("x.feather")
    softlabel("ingest", "-q", "--from", "long", "x.feather", "-o", "in.parquet")
    softlabel("aggregate", "-q", "in.parquet", "--format", "jsonl", "-o", "labels.jsonl")
    with open("labels.jsonl", encoding="utf-8") as lines:
        assert list(json.loads(next(lines))["label"]) == ["wolf", "dog", "cat"]
    VOTES.assign(label=VOTES["label"].astype("category")).to_parquet("x.parquet")
    check_votes("x.parquet")


def pandas_order_without_missing():
    """A category that says that there is no answer is left out as --na says, and the order stays; also of a pipe."""
    frame = VOTES.assign(label=pd.Categorical(["low", "n/a", "high", "low", "mid"], ["low", "mid", "high", "n/a"], ordered=True))
    frame.to_feather("x.feather")
    assert "--na 'n/a' leaves such answers out" in softlabel("ingest", "--from", "long", "x.feather", "-o", "y.parquet", status=3)
    with open("x.feather", "rb") as file:
        whole = file.read()
    for words, data in (["x.feather"], None), (["-"], whole):
        softlabel("ingest", "-q", "--from", "long", "--na", "n/a", *words, "-o", "in.parquet", data=data)
        assert [row["class"] for row in rows_of("in.parquet")] == ["low", "high", "low", "mid"]
        softlabel("aggregate", "-q", "in.parquet", "--format", "jsonl", "-o", "labels.jsonl")
        with open("labels.jsonl", encoding="utf-8") as lines:
            assert list(json.loads(next(lines))["label"]) == ["low", "mid", "high"]
    softlabel("ingest", "-q", "--from", "long", "--rename-class", "n/a=none", "x.feather", "-o", "in.parquet")
    assert [row["class"] for row in rows_of("in.parquet")][1] == "none"


def pandas_whole_numbers():
    """Class numbers that a missing value made reals."""
    frame = pd.DataFrame({"item": ["a", "b"], "class": [1.0, 2.0], "gold": [np.nan, 1.0]})
    frame.to_parquet("x.parquet")
    assert [row["class"] for row in ingested("--from", "long", "x.parquet")] == ["1", "2"]


def polars_files():
    frame = pl.from_pandas(VOTES)
    for name, write in [("x.parquet", frame.write_parquet), ("x.arrow", frame.write_ipc), ("x.arrows", frame.write_ipc_stream)]:
        write(name)
        check_votes(name)
    frame.with_columns(pl.col("label").cast(pl.Categorical)).write_ipc("x.arrow")
    check_votes("x.arrow")
    frame.write_ndjson("x.jsonl")
    check_votes("x.jsonl")


def polars_by_its_end():
    """An Arrow file that holds no stream, read by every stage; one that is cut is not."""
    softlabel("ingest", "-q", "--from", "long", "--classes", "cat,dog", "x.arrow", "-o", "votes.parquet")
    pl.read_parquet("votes.parquet").write_ipc("back.arrow")
    told = ["--table", "annotations", "--classes", "cat,dog"]
    assert rows_of("back.arrow", *told) == rows_of("votes.parquet")
    with open("back.arrow", "rb") as whole, open("cut.arrow", "wb") as cut:
        cut.write(whole.read()[:-100])
    said = softlabel("cat", "cut.arrow", *told, "-o", "y.parquet", status=3)
    assert "cut.arrow" in said, said


def duckdb_files():
    votes = VOTES
    duckdb.sql("copy (from votes) to 'x.parquet'")
    check_votes("x.parquet")
    duckdb.sql("copy (from votes) to 'x.json'")
    check_votes("x.json")


def renamed():
    VOTES.rename(columns={"task": "what", "worker": "who", "label": "is"}).to_parquet("x.parquet")
    assert ingested("--from", "long", "--column", "item=what,annotator=who,class=is", "x.parquet") == WANTED
    positions = ingested("--from", "long", "--column", "item=1,annotator=2,class=3", "x.parquet")
    assert [row["item"] for row in positions] == list(VOTES["task"])
    said = softlabel("ingest", "--from", "long", "x.parquet", "-o", "y.parquet", status=3)
    assert "no column for the item among 'what', 'who', 'is', 'seconds'" in said, said


def labels_from_columns():
    SOFT.to_parquet("x.parquet")
    assert ingested("--from", "labels", "x.parquet") == SOFT_ROWS
    pl.from_pandas(SOFT).write_csv("x.csv")
    assert ingested("--from", "labels", "x.csv") == SOFT_ROWS


def labels_from_lists():
    frame = pl.DataFrame({"item": ["a", "b"], "label": [[0.25, 0.75], [1.0, 0.0]]})
    frame.write_parquet("x.parquet")
    assert ingested("--from", "labels", "--classes", "cat,dog", "x.parquet") == SOFT_ROWS
    said = softlabel("ingest", "--from", "labels", "x.parquet", "-o", "y.parquet", status=3)
    assert "--classes A,B,C" in said, said


def labels_from_numpy():
    np.save("x.npy", SOFT[["cat", "dog"]].to_numpy())
    with open("items.txt", "w", encoding="utf-8") as items:
        items.write("a\nb\n")
    found = ingested("--from", "labels", "--classes", "cat,dog", "--items", "items.txt", "x.npy")
    assert found == SOFT_ROWS, found
    rng = np.random.default_rng(7)
    logits = rng.normal(size=(500, 100)).astype(np.float32)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.save("p.npy", p)
    names = ",".join(f"c{k}" for k in range(100))
    rows = ingested("--from", "predictions", "--classes", names, "p.npy")
    assert len(rows) == 500 and rows[7]["item"] == "7" and rows[7]["run"] == 0
    found = np.array([list(row["prob"].values()) for row in rows])
    assert np.abs(found - p / p.sum(axis=1, keepdims=True)).max() < 1e-7


def own_back():
    """What softlabel prints comes back in as it was."""
    rich = "item,annotator,class,percent,class2,percent2,impossible,gold,seconds\na,w1,cat,80,dog,15,ship|truck,cat,2\nb,w1,dog,,,,,,\n"
    with open("rich.csv", "w", encoding="utf-8") as out:
        out.write(rich)
    softlabel("ingest", "-q", "--from", "long", "rich.csv", "-o", "rich.parquet")
    wanted = rows_of("rich.parquet")
    for extension in ["csv", "jsonl", "parquet", "arrow", "arrows"]:
        softlabel("cat", "rich.parquet", "-o", f"own.{extension}")
        assert ingested("--from", "long", f"own.{extension}") == wanted, extension
    softlabel("redistribute", "-q", "rich.parquet", "-o", "soft.parquet")
    wanted = rows_of("soft.parquet")
    for extension in ["csv", "jsonl", "parquet"]:
        softlabel("cat", "soft.parquet", "-o", f"soft.{extension}")
        assert ingested("--from", "labels", f"soft.{extension}") == wanted, extension


def row_groups():
    """Classes in lists, with a dictionary for each row group, in one thread and in two."""
    softlabel("ingest", "-q", "--from", "long", "rich.csv", "-o", "rich.parquet")
    pq.write_table(pq.read_table("rich.parquet"), "groups.parquet", row_group_size=1)
    for threads in "12":
        softlabel("cat", "-j", threads, "groups.parquet", "-o", "whole.parquet")
        assert rows_of("whole.parquet") == rows_of("rich.parquet"), threads


def from_r():
    """write.csv() and write.csv2(): a column of row numbers without a name, all texts in quotes, NA; and the latter's semicolons."""
    lines = ['"","task","worker","label","seconds"', '"1","a",1,"cat",1.5', '"2","a",2,"dog",NA', '"3","b",1,"cat",2', '"4","b",2,"cat",0.25']
    for separator in ",;":
        with open("r.csv", "w", encoding="utf-8") as out:
            out.write("\n".join(lines).replace(",", separator) + "\n")
        assert ingested("--from", "long", "r.csv") == WANTED[:4]
    with open("missing.csv", "w", encoding="utf-8") as out:
        out.write('"task","worker","label"\n"a",1,"cat"\n"b",1,NA\n')
    said = softlabel("ingest", "--from", "long", "missing.csv", "-o", "y.parquet", status=3)
    assert "row 3: class 'NA'" in said, said


def there_and_back():
    """Written by each program, ingested, aggregated, read back in each: the same shares, with a column a class too."""
    counts = VOTES.groupby("task")["label"].value_counts(normalize=True).unstack(fill_value=0)
    wanted = {(task, label): counts.loc[task, label] for task in counts.index for label in counts.columns}
    votes = VOTES
    VOTES.to_csv("pandas.csv", index=False)
    VOTES.to_parquet("pandas.parquet")
    pl.from_pandas(VOTES).write_ipc("polars.arrow")
    pl.from_pandas(VOTES).write_csv("polars.csv")
    duckdb.sql("copy (from votes) to 'duckdb.parquet'")
    duckdb.sql("copy (from votes) to 'duckdb.csv'")
    for path in ["pandas.csv", "pandas.parquet", "polars.arrow", "polars.csv", "duckdb.parquet", "duckdb.csv"]:
        softlabel("ingest", "-q", "--from", "long", path, "-o", "in.parquet")
        softlabel("aggregate", "in.parquet", "-o", "labels.parquet")
        for extension in ["parquet", "arrow", "csv"]:
            softlabel("cat", "--wide", "labels.parquet", "-o", f"wide.{extension}")
        frames = [pd.read_parquet("wide.parquet"), pd.read_csv("wide.csv"), pd.read_feather("wide.arrow"),
                  pl.read_parquet("wide.parquet").to_pandas(), pl.read_ipc("wide.arrow").to_pandas(), pl.read_csv("wide.csv").to_pandas(),
                  duckdb.sql("from 'wide.parquet'").df(), duckdb.sql("from 'wide.csv'").df()]  # fmt: skip
        for frame in frames:
            found = {(row["item"], label): row[f"label.{label}"] for _, row in frame.iterrows() for label in counts.columns}
            assert found == wanted, (path, found)
        listed = pd.read_parquet("labels.parquet")
        assert {(item, label): p for item, row in zip(listed["item"], listed["label"]) for label, p in zip(["cat", "dog"], row)} == wanted, path


def wide_and_back():
    """Polars and DuckDB drop the metadata, and keep the columns' names; every stage reads them."""
    SOFT.to_csv("soft.csv", index=False)
    softlabel("ingest", "-q", "--from", "labels", "soft.csv", "-o", "soft.parquet")
    softlabel("cat", "--wide", "soft.parquet", "-o", "wide.parquet")
    assert rows_of("wide.parquet") == SOFT_ROWS
    pl.read_parquet("wide.parquet").write_parquet("polars.parquet")
    duckdb.sql("copy (from 'wide.parquet') to 'duckdb.parquet'")
    pd.read_parquet("wide.parquet").to_parquet("pandas.parquet")
    for path in ["polars.parquet", "duckdb.parquet", "pandas.parquet"]:
        assert rows_of(path, "--table", "labels") == SOFT_ROWS, path
        assert ingested("--from", "labels", path) == SOFT_ROWS, path


CHECKS = [pandas_parquet, pandas_feather, pandas_csv_and_json, pandas_order, pandas_order_without_missing, pandas_whole_numbers, polars_files, polars_by_its_end,
          duckdb_files, renamed, labels_from_columns, labels_from_lists, labels_from_numpy, own_back, row_groups, from_r, there_and_back, wide_and_back]  # fmt: skip

if __name__ == "__main__":
    sys.exit(report(lambda: None, [(check.__name__.replace("_", " "), check) for check in CHECKS]))
