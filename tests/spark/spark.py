# SPDX-License-Identifier: GPL-3.0-or-later
"""What softlabel makes on Spark is what one process makes: spark.py ROWS, in TAP, with the time of each."""
import json
import os
import subprocess
import sys
import time

import pyarrow.parquet as pq

from session import start
from softlabel.spark import aggregate, read, redistribute, stage

ROWS = int(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ["SOFTLABEL"]
count = 0


def check(name, fine, more=""):
    global count
    count += 1
    print(f"{'ok' if fine else 'not ok'} {count} - {name}" + (f"\n# {more}" if more else ""), flush=True)


def softlabel(*words):
    start = time.time()
    subprocess.run([PROGRAM, *words], check=True, stdin=subprocess.DEVNULL)
    return time.time() - start


def rows(path):
    return sorted(pq.read_table(path).to_pylist(), key=lambda row: json.dumps(row, sort_keys=True))


def of(frame):
    names = frame.columns
    return sorted((dict(zip(names, [v if not isinstance(v, list) else list(v) for v in row])) for row in frame.collect()),
                  key=lambda row: json.dumps(row, sort_keys=True))


subprocess.run([PROGRAM, "simulate", "crowd", "--items", str(ROWS // 5), "--classes", "4", "--annotators", "50",
                "--answers-per-item", "5", "--truth", "truth.parquet", "-o", "votes.parquet"], check=True)
n = pq.read_metadata("votes.parquet").num_rows
spark = start(4)
votes = read(spark, "votes.parquet")

alone = softlabel("redistribute", "votes.parquet", "-o", "each.parquet")
wanted = pq.read_table("each.parquet", columns=["item", "weight"]).num_rows
for parts in (1, 2, 4):
    start = time.time()
    got = stage("redistribute")(votes.repartition(parts)).count()
    took = time.time() - start
    check(f"redistribute in {parts} partitions", got == wanted, f"{n} rows: {took:.1f} s on Spark, {alone:.2f} s in one process")

tiny = [row["item"] for row in votes.select("item").distinct().orderBy("item").limit(200).collect()]
with open("items.txt", "w", encoding="utf-8") as out:
    out.write("\n".join(tiny) + "\n")
softlabel("select", "--items", "items.txt", "votes.parquet", "-o", "few.parquet", "-q")
few = read(spark, "few.parquet")
softlabel("redistribute", "few.parquet", "-o", "few-each.parquet")
check("rows are those of one process", of(stage("redistribute")(few.repartition(3))) == rows("few-each.parquet"))
softlabel("aggregate", "--method", "counts", "few.parquet", "-o", "few-labels.parquet")
check("the same by a function", of(redistribute(few.repartition(2), top="all", spread="uniform")) ==
      of(stage("redistribute --top all --spread uniform")(few)))
check("a stage for each group", of(stage("aggregate --method counts", by="item")(few.filter(few.item.isin(tiny[:5])))) ==
      [row for row in rows("few-labels.parquet") if row["item"] in tiny[:5]])
check("an empty partition", of(stage("redistribute")(few.filter("item = 'no such item'"))) == [])
try:
    stage("redistribute --vectors no-such-file --spread semantic")(few).count()
    check("a stage that fails", False)
except Exception as error:  # noqa: BLE001
    check("a stage that fails", "softlabel redistribute: no-such-file: cannot be read" in str(error), str(error).splitlines()[-1][:150])
try:
    stage("aggregate --method counts", kind="annotations", classes=["0", "1"])(few).collect()
    check("a task that fails", False)
except Exception as error:  # noqa: BLE001
    lines = [line for line in str(error).splitlines() if "softlabel aggregate: " in line]
    check("a task that fails", bool(lines), lines[0].strip()[:150] if lines else str(error)[:300])

ROUNDS = 5


def labels_of(frame):
    return {row["item"]: row["label"] for row in frame.select("item", "label").collect()}


for method in ("dawid-skene", "one-coin"):
    alone = softlabel("aggregate", "--method", method, "--tolerance", "0", "--iterations", str(ROUNDS), "votes.parquet", "-o", "crowd.parquet", "-q")
    wanted = {row["item"]: row["label"] for row in pq.read_table("crowd.parquet", columns=["item", "label"]).to_pylist()}
    for parts in (1, 2, 4):
        spark.conf.set("spark.sql.shuffle.partitions", str(parts))
        for source in ("votes.parquet", votes):
            start = time.time()
            got = labels_of(aggregate(source, method, rounds=ROUNDS, spark=spark))
            took = time.time() - start
            apart = max(abs(a - b) for item in wanted for a, b in zip(wanted[item], got[item]))
            check(f"{method} in {parts} partitions, of a {'file' if source == 'votes.parquet' else 'frame'}", len(got) == len(wanted) and apart < 1e-9,
                  f"{n} answers, {ROUNDS} rounds: {took:.1f} s on Spark, {alone:.2f} s in one process; labels are {apart:.1e} apart")
            spark.catalog.clearCache()
        if method != "dawid-skene":
            break
print(f"1..{count}")
spark.stop()
