# SPDX-License-Identifier: GPL-3.0-or-later
"""Posteriors of crowd-kit and of softlabel, same method and rounds, to 1e-6.   agree.py SOFTLABEL   (in TAP)

Nine answers an item, so that two classes never tie, and annotators of whom none is perfect: crowd-kit keeps probabilities from 0 in
a way of its own. Its tolerance of -1 leaves the end to the number of rounds.
"""
import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow.ipc
from crowdkit.aggregation import DawidSkene, MajorityVote, OneCoinDawidSkene, Wawa, ZeroBasedSkill

SOFTLABEL = sys.argv[1]
TOLERANCE = 1e-6


def crowd(n_classes, seed, n_items=400, n_annotators=20, each=9):
    random = np.random.default_rng(seed)
    rows = []
    right = random.uniform(0.5, 0.9, n_annotators)
    for item in range(n_items):
        true = random.integers(n_classes)
        for annotator in random.choice(n_annotators, each, replace=False):
            wrong = (true + 1 + random.integers(n_classes - 1)) % n_classes
            rows.append((f"i{item}", f"w{annotator}", str(true if random.random() < right[annotator] else wrong)))
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def ours(votes, *options):
    ingest = [SOFTLABEL, "ingest", "--from", "long", "-"]
    stream = subprocess.run(ingest, input=votes.to_csv(index=False).encode(), stdout=subprocess.PIPE, check=True).stdout
    stream = subprocess.run([SOFTLABEL, "aggregate", *options], input=stream, stdout=subprocess.PIPE, check=True).stdout
    table = pyarrow.ipc.open_stream(io.BytesIO(stream)).read_all()
    return dict(zip(table["item"].to_pylist(), np.array(table["label"].to_pylist())))


def difference(votes, peer, options):
    theirs = peer.fit_predict_proba(votes)
    theirs = theirs[sorted(theirs.columns)]
    labels = ours(votes, *options)
    assert len(labels) == len(theirs)
    return max(np.abs(labels[item] - row).max() for item, row in zip(theirs.index, theirs.to_numpy()))


def main():
    cases = [
        ("counts", 2, MajorityVote(), ["--method", "counts"]),
        ("dawid-skene, 2 classes, 1 round", 2, DawidSkene(n_iter=1, tol=-1), ["--iterations", "1"]),
        ("dawid-skene, 2 classes, 20 rounds", 2, DawidSkene(n_iter=20, tol=-1), ["--iterations", "20"]),
        ("dawid-skene, 4 classes, 20 rounds", 4, DawidSkene(n_iter=20, tol=-1), ["--iterations", "20"]),
        ("one-coin, 4 classes, 10 rounds", 4, OneCoinDawidSkene(n_iter=10, tol=-1), ["--method", "one-coin", "--iterations", "10"]),
        ("wawa", 2, Wawa(), ["--method", "wawa"]),
        ("zero-based-skill", 2, ZeroBasedSkill(), ["--method", "zero-based-skill"]),
    ]
    print(f"1..{len(cases)}")
    failed = 0
    for i, (name, n_classes, peer, options) in enumerate(cases):
        if "--iterations" in options:
            options = [*(["--method", "dawid-skene"] if "--method" not in options else []), *options, "--smoothing", "0", "--tolerance", "0"]
        worst = difference(crowd(n_classes, seed=i + 1), peer, options)
        good = worst <= TOLERANCE
        failed += not good
        print(f"{'ok' if good else 'not ok'} {i + 1} - {name}: {worst:.1e} apart")
    sys.exit(failed > 0)


main()
