# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the labels in two CSV tables, item by item of the first."""
import csv
import math
import sys


def read(path):
    with open(path) as file:
        rows = csv.DictReader(file)
        names = [name for name in rows.fieldnames if name.startswith("label.")]
        return {row["item"]: [float(row[name]) for name in names] for row in rows}


def entropy(p):
    return -sum(x * math.log(x) for x in p if x > 0)


def correlation(x, y):
    a, b = sum(x) / len(x), sum(y) / len(y)
    xy = sum((u - a) * (v - b) for u, v in zip(x, y))
    return xy / math.sqrt(sum((u - a) ** 2 for u in x) * sum((v - b) ** 2 for v in y))


def l1(p, q):
    return sum(abs(u - v) for u, v in zip(p, q))


def w_line(p, q):
    total = distance = 0
    for u, v in zip(p, q):
        total += u - v
        distance += abs(total)
    return distance


ours, theirs = read(sys.argv[1]), read(sys.argv[2])
pairs = [(p, theirs[item]) for item, p in ours.items()]
n = len(pairs)
r = correlation([entropy(p) for p, _ in pairs], [entropy(q) for _, q in pairs])
values = sum(l1(sorted(p), sorted(q)) / len(p) for p, q in pairs) / n
print(f"{n} items: r {r:.6f}, w_values {values:.6f}, L1 {sum(l1(p, q) for p, q in pairs) / n:.6f},"
      f" w_line {sum(w_line(p, q) for p, q in pairs) / n:.6f}")
