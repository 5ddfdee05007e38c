# SPDX-License-Identifier: GPL-3.0-or-later
"""Coefficients of `softlabel agreement` beside those of krippendorff, scikit-learn, statsmodels and irrCAC, on 30 random tables of ordered classes with
missing answers, ties, classes that nobody names and items with one answer, to 1e-12.   agreement.py SOFTLABEL"""
import csv
import io
import math
import subprocess
import sys
import warnings

import krippendorff
import numpy as np
import pandas
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

warnings.filterwarnings("ignore")
SOFTLABEL = sys.argv[1]
TOLERANCE = 1e-12
TABLES = 30


def ours(answers, classes):
    rows = [f"i{i},a{a},{answers[i, a]:.0f}\n" for i in range(len(answers)) for a in range(answers.shape[1]) if not np.isnan(answers[i, a])]
    said = [SOFTLABEL, "ingest", "-q", "--from", "long", "--ordered=" + ",".join(map(str, classes)), "-o", "-"]
    table = subprocess.run(said, input=("item,annotator,class\n" + "".join(rows)).encode(), stdout=subprocess.PIPE, check=True).stdout
    said = [SOFTLABEL, "agreement", "--format", "csv", "--interval", "none"]
    scores = subprocess.run(said, input=table, stdout=subprocess.PIPE, check=True).stdout.decode()
    return {row["metric"]: float(row["value"] or "nan") for row in csv.DictReader(io.StringIO(scores))}


def scott(x, y, classes):
    same = np.mean(x == y)
    chance = sum(((np.sum(x == k) + np.sum(y == k)) / (2 * len(x))) ** 2 for k in classes)
    return (same - chance) / (1 - chance) if chance < 1 else math.nan


def mean_of_pairs(answers, figure):
    values = []
    for a in range(answers.shape[1]):
        for b in range(a + 1, answers.shape[1]):
            both = ~np.isnan(answers[:, a]) & ~np.isnan(answers[:, b])
            if both.any():
                values.append(figure(answers[both, a].astype(int), answers[both, b].astype(int)))
    return np.nanmean(values) if not np.all(np.isnan(values)) else math.nan


def correlations(m):
    """Shrout and Fleiss's ICC (1,1), (2,1) and (3,1) of a table without holes."""
    n, k = m.shape
    rows, columns, mean = m.mean(1, keepdims=True), m.mean(0), m.mean()
    between = k * ((rows - mean) ** 2).sum() / (n - 1)
    raters = n * ((columns - mean) ** 2).sum() / (k - 1)
    within = ((m - rows) ** 2).sum() / (n * (k - 1))
    error = ((m - rows - columns + mean) ** 2).sum() / ((n - 1) * (k - 1))
    return {
        "icc_1": (between - within) / (between + (k - 1) * within),
        "icc_2": (between - error) / (between + (k - 1) * error + k * (raters - error) / n),
        "icc_3": (between - error) / (between + (k - 1) * error),
    }


def theirs(answers, classes):
    wanted = {}
    for level in ("nominal", "ordinal", "interval", "ratio"):
        name = "alpha" if level == "nominal" else f"alpha_{level}"
        wanted[name] = krippendorff.alpha(reliability_data=answers.T, level_of_measurement=level, value_domain=classes)
    for weights in (None, "linear", "quadratic"):
        name = "cohen_kappa" if weights is None else f"cohen_kappa_{weights}"
        wanted[name] = mean_of_pairs(answers, lambda x, y, w=weights: cohen_kappa_score(x, y, weights=w, labels=classes))
    wanted["scott_pi"] = mean_of_pairs(answers, lambda x, y: scott(x, y, classes))
    frame = pandas.DataFrame(answers)
    for name, weights, function in (
        ("fleiss_kappa", "identity", "fleiss"),
        ("ac1", "identity", "gwet"),
        ("ac2_linear", "linear", "gwet"),
        ("ac2_quadratic", "quadratic", "gwet"),
        ("bennett_s", "identity", "bp"),
    ):
        wanted[name] = getattr(CAC(frame, weights=weights, categories=classes, digits=16), function)()["est"]["coefficient_value"]
    if not np.isnan(answers).any():
        wanted["fleiss_kappa "] = fleiss_kappa(np.array([[np.sum(row == k) for k in classes] for row in answers]))
        wanted.update(correlations(answers))
    return wanted


def make(t, random):
    k, raters, items = random.integers(2, 7), random.integers(2, 8), random.integers(8, 60)
    true = random.integers(1, k + 1, items)
    slips = random.integers(-1, 2, (items, raters)) * (random.random((items, raters)) < 0.6)
    answers = np.clip(true[:, None] + slips, 1, max(2, k - 1) if t % 5 == 4 else k).astype(float)
    answers[random.random((items, raters)) < (0 if t % 3 == 0 else 0.6 * random.random())] = np.nan
    if t % 3:
        answers[0, :] = np.nan
        answers[0, 0] = 1
    answers = answers[~np.isnan(answers).all(1)]
    if t % 7 == 6:
        answers = np.vstack([answers, np.tile(answers[:1], (5, 1))])
    return answers, list(range(1, k + 1))


def main():
    random = np.random.default_rng(1)
    print(f"1..{TABLES}")
    for t in range(TABLES):
        answers, classes = make(t, random)
        got, wrong = ours(answers, classes), []
        for name, value in theirs(answers, classes).items():
            own = got[name.strip()]
            if math.isnan(value) != math.isnan(own) or abs(value - own) > TOLERANCE:
                wrong.append(f"# {name}: theirs {value!r}, ours {own!r}")
        print("not ok" if wrong else "ok", t + 1, f"- {len(answers)} items, {answers.shape[1]} annotators, {len(classes)} classes", *wrong, sep="\n" if wrong else " ")


main()
