# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of `softlabel score` beside scikit-learn's, SciPy's and torchmetrics', where they define one alike, to 1e-9.   scores.py SOFTLABEL"""
import csv
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import scipy.optimize
import scipy.spatial.distance
import scipy.stats
import sklearn.calibration
import sklearn.metrics

SOFTLABEL = sys.argv[1]
TOLERANCE = 1e-9
N, K = 2000, 5


def write(path, label, gold=None):
    """A table of labels."""
    classes = [f"c{k}" for k in range(label.shape[1])]
    columns = {
        "item": pyarrow.array([f"i{i}" for i in range(len(label))]),
        "label": pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(label.ravel()), label.shape[1]),
        "weight": pyarrow.array(np.ones(len(label))),
    }
    if gold is not None:
        columns["gold"] = pyarrow.DictionaryArray.from_arrays(pyarrow.array(gold, pyarrow.int32()), pyarrow.array(classes))
    table = pyarrow.table(columns)
    meta = {"softlabel.table": "labels", "softlabel.classes": json.dumps(classes)}
    pyarrow.parquet.write_table(table.replace_schema_metadata(meta), path)
    return str(path)


def scores(*arguments):
    out = subprocess.run([SOFTLABEL, "score", "--metrics", "all", "--format", "csv", *arguments], stdout=subprocess.PIPE, check=True).stdout
    return {row["metric"]: float(row["value"] or "nan") for row in csv.DictReader(io.StringIO(out.decode()))}


def intervals(metric, *arguments):
    out = subprocess.run([SOFTLABEL, "score", "--metrics", metric, "--format", "csv", *arguments], stdout=subprocess.PIPE, check=True).stdout
    row = next(csv.DictReader(io.StringIO(out.decode())))
    return float(row["lower"]), float(row["upper"])


def mean(function, p, t):
    return np.mean([function(a, b) for a, b in zip(p, t)])


def beside_sklearn(folder, p, t, gold):
    """Of gold classes: one-hot targets."""
    path = write(folder / "p.parquet", p, gold)
    ours = scores("--gold", path)
    said = p.argmax(axis=1)
    hot = np.eye(K)[gold]
    yield "scikit-learn: accuracy", ours["accuracy"], sklearn.metrics.accuracy_score(gold, said)
    yield "scikit-learn: top-2 accuracy", ours["top2_accuracy"], sklearn.metrics.top_k_accuracy_score(gold, p, k=2)
    yield "scikit-learn: balanced accuracy", ours["balanced_accuracy"], sklearn.metrics.balanced_accuracy_score(gold, said)
    yield "scikit-learn: macro F1", ours["macro_f1"], sklearn.metrics.f1_score(gold, said, average="macro")
    yield "scikit-learn: micro F1", ours["lewidi2023_f1"], sklearn.metrics.f1_score(gold, said, average="micro")
    yield "scikit-learn: log loss", ours["log_loss"], sklearn.metrics.log_loss(gold, p)
    yield "NumPy: Brier", ours["brier"], ((p - hot) ** 2).sum(axis=1).mean()
    for edge, bins in (("right", 5), ("right", 10)):
        two = p[:, :2] / p[:, :2].sum(axis=1, keepdims=True)
        wide = np.maximum(two[:, 0], two[:, 1])
        right = (two.argmax(axis=1) == np.minimum(gold, 1)).astype(int)
        binary = write(folder / "two.parquet", two, np.minimum(gold, 1))
        own = scores("--gold", binary, "--bins", str(bins), "--bin-edge", edge)
        true, said = sklearn.calibration.calibration_curve(right, wide, n_bins=bins)
        yield f"scikit-learn: the mean gap of a calibration curve of {bins} bins", own["ace"], np.abs(true - said).mean()


def beside_scipy(folder, p, t, gold):
    ours = scores("--against", write(folder / "t.parquet", t), write(folder / "p.parquet", p))
    entropies = scipy.stats.entropy(p, axis=1), scipy.stats.entropy(t, axis=1)
    yield "SciPy: Kullback–Leibler", ours["kl"], mean(lambda a, b: scipy.stats.entropy(b, a), p, t)
    yield "SciPy: Jensen–Shannon", ours["js"], mean(lambda a, b: scipy.spatial.distance.jensenshannon(a, b) ** 2, p, t)
    yield "SciPy: Wasserstein of values", ours["w_values"], mean(scipy.stats.wasserstein_distance, p, t)
    line = np.arange(K)
    yield "SciPy: Wasserstein on a line", ours["w_line"], mean(lambda a, b: scipy.stats.wasserstein_distance(line, line, a, b), p, t)
    yield "SciPy: entropy", ours["entropy"], entropies[0].mean()
    yield "SciPy: Pearson's r of entropies", ours["entropy_correlation"], scipy.stats.pearsonr(*entropies)[0]
    yield "SciPy: cityblock", ours["l1"], mean(scipy.spatial.distance.cityblock, p, t)
    few = slice(0, 40)
    cost = np.random.default_rng(3).uniform(0.1, 1, (K, K))
    np.fill_diagonal(cost, 0)
    names = [f"c{k}" for k in range(K)]
    with open(folder / "cost.csv", "w", encoding="utf-8") as file:
        file.write("," + ",".join(names) + "\n" + "".join(f"{name}," + ",".join(map(repr, map(float, row))) + "\n" for name, row in zip(names, cost)))
    paths = write(folder / "few-t.parquet", t[few]), write(folder / "few-p.parquet", p[few])
    ours = scores("--against", paths[0], "--cost", str(folder / "cost.csv"), paths[1])
    yield "SciPy: transport as a linear program", ours["w_cost"], mean(lambda a, b: least_cost(a, b, cost), p[few], t[few])


def beside_ranking(folder, p, t, gold):
    """Ties, and a class that nobody has; ordered classes that stand for other values than ranks."""
    p = np.round(p * 8)
    p[p.sum(axis=1) == 0] = 1
    p /= p.sum(axis=1, keepdims=True)
    gold = np.minimum(gold, K - 2)
    said, hot, values = p.argmax(axis=1), np.eye(K)[gold], np.array([-1.0, 0, 0.5, 2, 5])
    path = folder / "ranked.parquet"
    write(path, p, gold)
    subprocess.run([SOFTLABEL, "cat", "--ordered", "--values=" + ",".join(map(str, values)), path, "-o", folder / "ordered.parquet"], check=True)
    listed = "kappa,mcc,auroc,average_precision,mae,rmse,rps,crps,spearman,quadratic_kappa,precision,recall,f1,class_auroc,class_average_precision"
    out = subprocess.run(
        [SOFTLABEL, "score", "--gold", "--metrics", listed, "--interval", "none", "--format", "csv", folder / "ordered.parquet"], stdout=subprocess.PIPE, check=True
    ).stdout.decode()
    ours = {(row["metric"], row["bin"]): float(row["value"] or "nan") for row in csv.DictReader(io.StringIO(out))}
    metrics = sklearn.metrics
    yield "scikit-learn: kappa", ours["kappa", ""], metrics.cohen_kappa_score(gold, said)
    yield "scikit-learn: Matthews's correlation", ours["mcc", ""], metrics.matthews_corrcoef(gold, said)
    there = range(K - 1)
    areas = [metrics.roc_auc_score(gold == k, p[:, k]) for k in there]
    precisions = [metrics.average_precision_score(gold == k, p[:, k]) for k in there]
    yield "scikit-learn: AUROC, the mean over classes that are there", ours["auroc", ""], np.mean(areas)
    yield "scikit-learn: average precision, likewise", ours["average_precision", ""], np.mean(precisions)
    for k in there:
        yield f"scikit-learn: AUROC of class {k}", ours["class_auroc", f"c{k}"], areas[k]
        yield f"scikit-learn: average precision of class {k}", ours["class_average_precision", f"c{k}"], precisions[k]
        for name, score in (("precision", metrics.precision_score), ("recall", metrics.recall_score), ("f1", metrics.f1_score)):
            yield f"scikit-learn: {name} of class {k}", ours[name, f"c{k}"], score(gold == k, said == k)
    yield "scikit-learn: mean absolute error", ours["mae", ""], metrics.mean_absolute_error(values[gold], p @ values)
    yield "scikit-learn: root mean squared error", ours["rmse", ""], np.sqrt(metrics.mean_squared_error(values[gold], p @ values))
    yield "SciPy: Spearman's correlation", ours["spearman", ""], scipy.stats.spearmanr(np.round(p @ values, 12), values[gold])[0]
    squares = (np.cumsum(p, axis=1) - np.cumsum(hot, axis=1))[:, :-1] ** 2
    yield "NumPy: ranked probability score", ours["rps", ""], squares.sum(axis=1).mean()
    yield "NumPy: continuous ranked probability score", ours["crps", ""], (squares * np.diff(values)).sum(axis=1).mean()
    weights = (values[:, None] - values) ** 2
    table = metrics.confusion_matrix(gold, said, labels=range(K)) / N
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    yield "NumPy: quadratic kappa of values", ours["quadratic_kappa", ""], 1 - (weights * table).sum() / (weights * expected).sum()


def least_cost(p, t, cost):
    """What mass costs to move from p to t."""
    leaves, comes = np.kron(np.eye(K), np.ones(K)), np.kron(np.ones(K), np.eye(K))
    return scipy.optimize.linprog(cost.ravel(), A_eq=np.vstack([leaves, comes])[:-1], b_eq=np.concatenate([p, t])[:-1]).fun


def beside_numpy(folder, p, t, gold):
    """Bins of as many items each (no two are equally sure), risk at each coverage, and the classes' own calibration, by their definitions."""
    sure, right = p.max(axis=1), (p.argmax(axis=1) == gold).astype(float)
    path = write(folder / "p.parquet", p, gold)
    ours = scores("--gold", "--bin-size", "70", path)
    order = np.argsort(sure)
    bins = np.minimum(np.arange(N) // 70, N // 70 - 1)
    gaps = np.array([abs(sure[order][bins == b].mean() - right[order][bins == b].mean()) for b in range(N // 70)])
    share = np.bincount(bins) / N
    yield "NumPy: RMS calibration error in bins of 70", ours["calibration_rms"], np.sqrt((share * gaps ** 2).sum())
    yield "NumPy: the same, L1", ours["calibration_l1"], (share * gaps).sum()
    yield "NumPy: the same, largest", ours["calibration_max"], gaps.max()
    turned = np.random.default_rng(5).permutation(N)
    again = scores("--gold", "--bin-size", "70", write(folder / "turned.parquet", p[turned], gold[turned]))
    yield "in another order of rows", again["calibration_rms"], ours["calibration_rms"]
    yield "NumPy: area under risk and coverage", ours["aurc"], (np.cumsum(1 - right[order][::-1]) / np.arange(1, N + 1)).mean()
    hot = np.eye(K)[gold]
    own = [sum(abs(p[here, k].sum() - hot[here, k].sum()) for here in (np.floor(p[:, k] * 15) == b for b in range(15))) / N for k in range(K)]
    yield "NumPy: class-wise calibration error", ours["class_ece"], np.mean(own)
    yield "NumPy: worst class", ours["worst_class_accuracy"], min(right[gold == k].mean() for k in range(K))


def beside_intervals(folder, p, t, gold):
    """t over runs; the bootstrap to what its draws may differ by: four σ of an end are about .08 of the interval's width."""
    runs = [np.roll(p, shift, axis=0) for shift in range(5)]
    paths = [write(folder / f"run{i}.parquet", run) for i, run in enumerate(runs)]
    values = [np.abs(run - t).sum(axis=1).mean() for run in runs]
    against = write(folder / "t.parquet", t)
    ours = intervals("l1", "--against", against, *paths)
    theirs = scipy.stats.t.interval(0.95, 4, np.mean(values), scipy.stats.sem(values))
    yield "SciPy: where an interval over runs begins", ours[0], theirs[0]
    yield "SciPy: where it ends", ours[1], theirs[1]
    each = np.abs(p - t).sum(axis=1)
    ours = intervals("l1", "--against", against, "--resamples", "10000", paths[0])
    theirs = scipy.stats.bootstrap((each,), np.mean, n_resamples=10000, method="BCa", vectorized=True, batch=100).confidence_interval
    width = theirs.high - theirs.low
    yield "SciPy: the bootstrap's ends", float(abs(ours[0] - theirs.low) + abs(ours[1] - theirs.high) < 0.16 * width), 1.0


def beside_torchmetrics(folder, p, t, gold):
    try:
        import torch
        from torchmetrics.functional.classification import multiclass_calibration_error
    except ImportError:
        for norm in ("l1", "l2", "max"):
            yield f"torchmetrics: calibration error, {norm} # SKIP torchmetrics is not there", 0, 0
        return
    p = p.copy()
    p[:50] = np.eye(K)[gold[:50]]
    ours = scores("--gold", "--bin-of-one", "own", "--clip", "1e-12", write(folder / "one.parquet", p, gold))
    for norm, name in (("l1", "ece"), ("l2", "ece_rms"), ("max", "mce")):
        theirs = multiclass_calibration_error(torch.tensor(p), torch.tensor(gold), K, n_bins=15, norm=norm)
        # It adds up in single precision.
        yield f"torchmetrics: calibration error, {norm}", round(ours[name], 5), round(float(theirs), 5)


def beside_starting_kit(folder, p, t, gold):
    """Predictions of single annotators, by what the starting kit of LeWiDi 2025 computes; classes -5 … 5."""
    random = np.random.default_rng(2)
    classes = [str(value) for value in range(-5, 6)]
    rows = [(f"i{i}", f"a{a}") for i in range(50) for a in random.choice(9, random.integers(1, 6), replace=False)]
    true, said = random.integers(0, 11, len(rows)), random.integers(0, 11, len(rows))
    text = "item,annotator,class\n" + "".join(f"{item},{annotator},{classes[c]}\n" for (item, annotator), c in zip(rows, true))
    answers = str(folder / "answers.parquet")
    subprocess.run([SOFTLABEL, "ingest", "--from", "long", "--ordered=no", "--classes=" + ",".join(classes), "-", "-o", answers], input=text.encode(), check=True)
    order = random.permutation(len(rows))
    table = pyarrow.table({
        "item": [rows[i][0] for i in order],
        "run": pyarrow.array(np.zeros(len(rows), np.int32)),
        "prob": pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(np.eye(11)[said[order]].ravel()), 11),
        "annotator": [rows[i][1] for i in order],
    })
    meta = {"softlabel.table": "predictions", "softlabel.classes": json.dumps(classes)}
    path = str(folder / "single.parquet")
    pyarrow.parquet.write_table(table.replace_schema_metadata(meta), path)
    ours = scores("--against", answers, "--clip", "1e-12", path)
    items = {}
    for (item, _), a, b in zip(rows, true, said):
        items.setdefault(item, []).append((a, b))
    wrong = [round(sum(a != b for a, b in pairs) / len(pairs), 5) for pairs in items.values()]
    far = [sum(abs(a - b) for a, b in pairs) / len(pairs) for pairs in items.values()]
    yield from several_labels(folder)
    yield "LeWiDi 2025: error rate", ours["lewidi2025_error_rate"], round(sum(wrong) / len(wrong), 5)
    yield "LeWiDi 2025: normalised absolute distance", ours["lewidi2025_absolute_distance"], sum(far) / len(far) / 11


def several_labels(folder):
    """Four labels an item, a yes and a no for each: rounded for each label, each item, and over all."""
    random = np.random.default_rng(4)
    p, t = (np.stack([yes, 1 - yes], axis=1) for yes in (random.uniform(size=200), random.uniform(size=200)))
    items = [f"i{i // 4}/l{i % 4}" for i in range(200)]
    paths = []
    for name, label in (("labels-p", p), ("labels-t", t)):
        paths.append(write(folder / f"{name}.parquet", label))
        table = pyarrow.parquet.read_table(paths[-1])
        pyarrow.parquet.write_table(table.set_column(0, "item", pyarrow.array(items)), paths[-1])
    ours = scores("--questions", "/", "--against", paths[1], paths[0])
    each = [round(float(np.abs(a - b).sum()), 5) for a, b in zip(p, t)]
    theirs = [round(float(np.mean(each[i:i + 4])), 5) for i in range(0, 200, 4)]
    yield "LeWiDi 2025: Manhattan distance of several labels", ours["lewidi2025_multilabel"], round(float(np.mean(theirs)), 5)


def main():
    random = np.random.default_rng(1)
    p, t = random.dirichlet(np.full(K, 0.7), N), random.dirichlet(np.full(K, 0.5), N)
    gold = np.array([random.choice(K, p=0.6 * row + 0.4 / K) for row in p])
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for part in (beside_sklearn, beside_scipy, beside_numpy, beside_ranking, beside_intervals, beside_starting_kit, beside_torchmetrics) for row in part(Path(folder), p, t, gold)]
    print(f"1..{len(rows)}")
    failed = 0
    for number, (name, ours, theirs) in enumerate(rows, 1):
        good = abs(ours - theirs) <= TOLERANCE
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}" + ("" if good else f": {ours} here, {theirs} there"))
    sys.exit(failed > 0)


main()
