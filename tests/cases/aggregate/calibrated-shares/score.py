"""Labels as CSV on standard input against gold classes: score.py TRUTH NAME"""
import csv
import math
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    gold = {row["item"]: row["truth"] for row in csv.DictReader(file)}
n = right = brier = surprise = 0
for row in csv.DictReader(sys.stdin):
    label = {name[len("label."):]: float(value) for name, value in row.items() if name.startswith("label.")}
    true = gold.get(row["item"])
    if true is None:
        continue
    n += 1
    right += max(label, key=label.get) == true
    brier += sum((p - (name == true)) ** 2 for name, p in label.items())
    surprise -= math.log(max(label[true], 1e-3))
print(f"{sys.argv[2]:<34} {right / n:.4f} {brier / n:.3f} {surprise / n:.3f}")
