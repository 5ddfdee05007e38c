# SPDX-License-Identifier: GPL-3.0-or-later
"""What Spark costs beside one process: cost.py ROWS [PARTITIONS...], a table in Markdown. Each figure is of one run.

CPU is that of every process below this one: the driver, both workers, their Python, and softlabel. On a machine that does other work
besides, that is what to compare; the time is what it took there and then. "Rows through Python" is Spark with a function that hands its
batches on, so what the stage itself adds is the difference."""
import os
import resource
import subprocess
import sys
import time

import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import functions as F

from session import start
from softlabel.spark import aggregate, read, stage

ROWS, PROGRAM, ROUNDS = int(sys.argv[1]), os.environ["SOFTLABEL"], 2
PARTITIONS = [int(word) for word in sys.argv[2:]] or [1, 2, 4]
TICK = os.sysconf("SC_CLK_TCK")


def cpu_below():
    """Seconds of all processes below this one, and of those that they have waited for."""
    parents, used = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)], used[int(name)] = int(fields[1]), sum(map(int, fields[11:15]))
    total = 0
    for process in used:
        above = parents[process]
        while above and above != os.getpid():
            above = parents.get(above)
        total += used[process] if above == os.getpid() else 0
    return total / TICK


def line(what, took, cpu, beside=None):
    ratio = f"{cpu / beside:.0f}×" if beside else ""
    print(f"| {what} | {took:.0f} s | {cpu:.1f} s | {ratio} |", flush=True)


def alone(what, *words):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run([PROGRAM, *words, "-q"], check=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    line(what, time.time() - began, cpu)
    return cpu


def on_spark(what, beside, work):
    before, began = cpu_below(), time.time()
    got = work()
    line(what, time.time() - began, cpu_below() - before, beside)
    return got


def of(partitions):
    return f"{partitions} partition{'s' if partitions > 1 else ''}"


def sums(row):
    return [row[0], row[1]]


def fail_unless(same, what):
    if not same:
        sys.exit(f"{what}: not what one process makes")


subprocess.run([PROGRAM, "simulate", "crowd", "--items", str(ROWS // 5), "--classes", "4", "--annotators", "50", "--answers-per-item", "5",
                "--truth", "truth.parquet", "-o", "votes.parquet", "-q"], check=True)
load = os.getloadavg()[0]
print(f"{ROWS} answers, {os.cpu_count()} processors, {load:.0f} other processes at work on them\n")
print("| | time | CPU | CPU, of one process |\n| --- | ---: | ---: | ---: |")
each = alone("redistribute, one process", "redistribute", "votes.parquet", "-o", "each.parquet")
together = alone(f"Dawid-Skene, {ROUNDS} rounds, one process", "aggregate", "--method", "dawid-skene", "--tolerance", "0", "--iterations",
                 str(ROUNDS), "votes.parquet", "-o", "labels.parquet")
first = pc.list_element(pq.read_table("labels.parquet", columns=["label"])["label"].combine_chunks(), 0)
wanted = [len(first), pc.sum(first).as_py()]
rows = pq.read_metadata("each.parquet").num_rows
spark = start(2)
votes = read(spark, "votes.parquet")
for _ in range(2):  # the workers are up, and what they do is compiled
    stage("redistribute")(votes.limit(100000).repartition(2)).count()
for parts in PARTITIONS:
    few = votes.repartition(parts)
    on_spark(f"rows through Python, {of(parts)}", each, lambda: few.mapInArrow(lambda batches: batches, few.schema).count())
    got = on_spark(f"redistribute, {of(parts)}", each, lambda: stage("redistribute")(few).count())
    fail_unless(got == rows, "redistribute")
for parts in PARTITIONS:
    spark.conf.set("spark.sql.shuffle.partitions", str(parts))
    label = F.col("label")[0]
    got = on_spark(f"Dawid-Skene, {ROUNDS} rounds, {of(parts)}", together,
                   lambda: sums(aggregate("votes.parquet", rounds=ROUNDS, spark=spark).select(F.count(label), F.sum(label)).first()))
    fail_unless(got[0] == wanted[0] and abs(got[1] - wanted[1]) < 1e-9 * wanted[0], "Dawid-Skene")
    on_spark(f"… of a frame, {of(parts)}", together, lambda: aggregate(votes, rounds=ROUNDS).count())
spark.stop()
