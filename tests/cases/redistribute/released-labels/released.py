# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares labels with the arithmetic of the code released with CIFAR-10S, done in its order of operations on Python's
floats: released.py TOP SPREAD ANNOTATIONS.jsonl LABELS.csv"""

import csv
import json
import sys

CLASSES = "Airplane Automobile Bird Cat Deer Dog Frog Horse Ship Truck".split()


def numpy_sum(a):
    """NumPy's sum of ten: eight lanes joined as a tree, then the rest."""
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])) + a[8] + a[9]


def released(answer, top, spread, gamma=0.1):
    p = [0.0] * 10
    for rank, choice in enumerate(answer["choices"][:top]):
        if rank == 0 or choice["percent"] is not None:
            p[CLASSES.index(choice["class"])] = choice["percent"]
    p = [x / 100 for x in p]
    possible = {k for k in range(10) if CLASSES[k] not in answer["impossible"]}
    total = numpy_sum(p)
    rest, keep = (1 - total, 1) if total < 1 else (0, 1)
    if total >= 1:
        p = [x / total for x in p]
    positive = sum(x > 0 for x in p)
    if spread == "clamp" and len(possible) != positive:
        if total >= 1:
            rest, keep = gamma, 1 - gamma
        share = rest / (len(possible) - positive)
        p = [x * keep + (share if x == 0 and k in possible else 0) for k, x in enumerate(p)]
    if spread == "uniform" and positive != 10:
        p = [rest / (10 - positive) if x == 0 else x for x in p]
    total = numpy_sum(p)
    return [x / total for x in p]


top, spread, annotations, labels = sys.argv[1:]
same = n = 0
with open(annotations, encoding="utf-8") as answers, open(labels, encoding="utf-8") as table:
    for answer, row in zip(map(json.loads, answers), csv.DictReader(table), strict=True):
        same += [float(row["label." + name]) for name in CLASSES] == released(answer, int(top), spread)
        n += 1
print(f"{same} of {n} labels of T{top} {spread} are the same in every bit")
