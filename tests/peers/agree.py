# SPDX-License-Identifier: GPL-3.0-or-later
"""Posteriors of crowd-kit and peerannot and of softlabel, same method and rounds, to 1e-6; ActiveLab's scores and confident learning of cleanlab.   agree.py SOFTLABEL

Nine answers an item, so that two classes never tie, and annotators of whom none is perfect: crowd-kit keeps probabilities from 0 in
a way of its own. Its tolerance of -1 leaves the end to the number of rounds. peerannot gives most methods' winners alone, and draws
ties: winners are compared, of items whose two likeliest classes are not within 1e-9.
"""
import importlib.util
import io
import subprocess
import sys
import tempfile
import types

import numpy as np
import pandas as pd
import pyarrow.ipc
from cleanlab import count
from cleanlab.filter import find_label_issues
from cleanlab.multiannotator import get_active_learning_scores
from cleanlab.rank import get_label_quality_scores
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


def softlabel(*arguments, input):
    input = input.encode() if isinstance(input, str) else input
    return subprocess.run([SOFTLABEL, *arguments], input=input, stdout=subprocess.PIPE, check=True).stdout


def ours(votes, *options):
    stream = softlabel("ingest", "--from", "long", "-", input=votes.to_csv(index=False))
    stream = softlabel("aggregate", *options, input=stream)
    table = pyarrow.ipc.open_stream(io.BytesIO(stream)).read_all()
    return dict(zip(table["item"].to_pylist(), np.array(table["label"].to_pylist())))


def difference(votes, peer, options):
    theirs = peer.fit_predict_proba(votes)
    theirs = theirs[sorted(theirs.columns)]
    labels = ours(votes, *options)
    assert len(labels) == len(theirs)
    return max(np.abs(labels[item] - row).max() for item, row in zip(theirs.index, theirs.to_numpy()))


def peerannot():
    """Its methods of votes, without the modules beside them, which want PyTorch. None where it is not there."""
    spec = importlib.util.find_spec("peerannot")
    if spec is None:
        return None
    models = types.ModuleType("peerannot.models")
    models.__path__ = [f"{spec.submodule_search_locations[0]}/models"]
    sys.modules |= {"peerannot.models": models, "sparse": types.ModuleType("sparse")}
    from peerannot.models.aggregation import dawid_skene, iwmv, plantnet, twothird, wds

    return types.SimpleNamespace(
        DawidSkene=dawid_skene.DawidSkene, IWMV=iwmv.IWMV, PlantNet=plantnet.PlantNet, TwoThird=twothird.TwoThird, WDS=wds.WDS
    )


def answers_of(votes):
    """{item: {annotator: class}}, all numbered from 0."""
    answers = {}
    for task, worker, label in votes.itertuples(index=False):
        answers.setdefault(int(task[1:]), {})[int(worker[1:])] = int(label)
    return answers


def peer_wds(peers, answers, shape):
    """With 20 rounds, not to a tolerance. Its weights are those before the last labels, ours those after."""
    peer = peers.WDS(answers, **shape)
    peer.ds = peers.DawidSkene(peer.answers, shape["n_workers"], shape["n_classes"])
    peer.ds.map_string()
    peer.ds.run(epsilon=0, maxiter=20)
    peer.pi = peer.ds.pi
    return peer.get_probas()


def peer_winners(name):
    def winners(peers, answers, shape):
        peer = getattr(peers, name)(answers, output_unvalidated=True, **shape)
        if hasattr(peer, "run"):
            peer.run()
        return peer.get_answers()

    return winners


# Name, classes, what peerannot says, our options. Of 40 classes annotators find enough to weigh differently in plantnet.
PEERANNOT = [
    ("peerannot's wds", 4, peer_wds, ["wds", "--iterations", "19", "--tolerance", "0", "--smoothing", "0"]),
    ("peerannot's iwmv", 4, peer_winners("IWMV"), ["iwmv"]),
    ("peerannot's plantnet", 40, peer_winners("PlantNet"), ["plantnet"]),
    ("peerannot's two-thirds", 4, peer_winners("TwoThird"), ["two-thirds"]),
]


def beside_peerannot(peers, n_classes, peer, options, seed):
    """Largest difference of probabilities, or number of winners that differ."""
    votes = crowd(n_classes, seed)
    labels = ours(votes, "-q", "--method", *options)
    shape = {"n_classes": n_classes, "n_workers": votes["worker"].nunique()}
    theirs = peer(peers, answers_of(votes), shape)
    worst = 0
    for item, said in enumerate(theirs):
        label = labels.get(f"i{item}")
        if np.ndim(said) > 0:
            worst = max(worst, np.abs(label - said).max())
        elif label is None:
            worst += int(said) != -1
        elif np.diff(np.sort(label)[-2:])[0] > 1e-9:
            worst += int(label.argmax()) != int(said)
    return worst


def beside_cleanlab(n_classes, each, seed):
    """Largest difference of ActiveLab's scores, of items with EACH answers and of some without. Predictions are shares of whole
    numbers, so that a table of counts says them exactly."""
    votes = crowd(n_classes, seed, each=each)
    random = np.random.default_rng(seed)
    counts = random.integers(1, 100, (450, n_classes))
    wide = votes.pivot(index="task", columns="worker", values="label").astype(float)
    wide = wide.loc[[f"i{i}" for i in range(400)]].to_numpy()
    shares = counts / counts.sum(axis=1, keepdims=True)
    theirs = np.concatenate(get_active_learning_scores(wide, shares[:400], shares[400:]))
    rows = [f"i{i},{k},{n}" for i, row in enumerate(counts) for k, n in enumerate(row)]
    with tempfile.NamedTemporaryFile(suffix=".arrows") as model:
        stream = softlabel("ingest", "--from", "long", "-", input="item,label,count\n" + "\n".join(rows))
        model.write(softlabel("aggregate", input=stream))
        model.flush()
        stream = softlabel("ingest", "--from", "long", "-", input=votes.to_csv(index=False))
        table = softlabel("agreement", "--by", "items", "--predictions", model.name, input=stream)
    table = pyarrow.ipc.open_stream(io.BytesIO(table)).read_all()
    scores = dict(zip(table["item"].to_pylist(), table["activelab"].to_pylist()))
    assert len(scores) == 450
    return max(abs(scores[f"i{i}"] - score) for i, score in enumerate(theirs))


# Name, classes, answers an item.
CLEANLAB = [("cleanlab's ActiveLab", 4, 9), ("cleanlab's ActiveLab, 2 classes", 2, 3), ("cleanlab's ActiveLab, one answer an item", 4, 1)]


def table_of_counts(counts, file):
    """Writes labels that are COUNTS' shares, and returns those."""
    rows = [f"i{i},{k},{n}" for i, row in enumerate(counts) for k, n in enumerate(row)]
    classes = ",".join(map(str, range(counts.shape[1])))
    stream = softlabel("ingest", "--from", "long", "--classes", classes, "-", input="item,label,count\n" + "\n".join(rows))
    file.write(softlabel("aggregate", input=stream))
    file.flush()
    return counts / counts.sum(axis=1, keepdims=True)


def doubts(labels, n_classes, predictions, *options):
    """Rows of doubts by item, and the noise's columns as matrices [given][true]."""
    classes = ",".join(map(str, range(n_classes)))
    votes = "item,label\n" + "\n".join(f"i{i},{k}" for i, k in enumerate(labels))
    stream = softlabel("ingest", "--from", "long", "--classes", classes, "-", input=votes)
    with tempfile.NamedTemporaryFile(suffix=".arrows") as noise:
        stream = softlabel("aggregate", "--method", "majority", input=stream)
        stream = softlabel("doubts", "--predictions", predictions, "--noise", noise.name, *options, input=stream)
        by_class = pyarrow.ipc.open_stream(noise.name).read_all()
    items = pyarrow.ipc.open_stream(io.BytesIO(stream)).read_all().to_pandas()
    items["place"] = items["item"].str[1:].astype(int)
    matrix = lambda name: np.array(by_class[name].to_pylist(), dtype=float).reshape(n_classes, n_classes)
    return items, {name: matrix(name) for name in ("count", "joint", "given_of_true", "true_of_given")}


def beside_confident_learning(n_classes, labelled, seed):
    """Largest difference of scores, confident joint and noise, where only the first LABELLED classes are labels. cleanlab rounds
    the calibrated joint to whole items: that is left out here, so that the shares can be compared."""
    random = np.random.default_rng(seed)
    true = random.integers(labelled, size=500)
    labels = np.where(random.random(500) < 0.8, true, random.integers(labelled, size=500))
    counts = random.integers(1, 30, (500, n_classes))
    counts[np.arange(500), true] += random.integers(0, 60, 500)
    with tempfile.NamedTemporaryFile(suffix=".arrows") as model:
        p = table_of_counts(counts, model)
        items, ours = doubts(labels, n_classes, model.name)
    items = items.sort_values("place")
    assert len(items) == 500 and (np.diff(items.sort_index()["self_confidence"]) >= 0).all()
    joint, off = count.compute_confident_joint(labels, p, calibrate=False, return_indices_of_off_diagonals=True)
    assert sorted(off) == items["place"][items["doubted"]].to_list()
    issues = find_label_issues(labels, p, filter_by="confident_learning")
    assert np.flatnonzero(issues).tolist() == items["place"][items["issue"]].to_list()
    rounding, count.round_preserving_row_totals = count.round_preserving_row_totals, lambda rows: rows
    calibrated = count.calibrate_confident_joint(joint, labels)
    count.round_preserving_row_totals = rounding
    _, given_of_true, true_of_given = count.estimate_latent(calibrated, labels)
    # A class without labels: no share of its labels, where cleanlab has 0.
    pairs = [
        (items["self_confidence"], get_label_quality_scores(labels, p, method="self_confidence")),
        (items["margin"], get_label_quality_scores(labels, p, method="normalized_margin")),
        (ours["count"], joint),
        (ours["joint"], calibrated / 500),
        (ours["given_of_true"], given_of_true),
        (ours["true_of_given"], true_of_given.T),
    ]
    return max(np.abs(np.nan_to_num(np.asarray(a)) - b).max() for a, b in pairs)


# Name, classes, classes that are labels.
CONFIDENT = [("cleanlab's confident learning", 4, 4), ("cleanlab's confident learning, 2 classes", 2, 2), ("cleanlab's confident learning, a class without labels", 5, 4)]


def report(number, name, worst):
    good = worst <= TOLERANCE
    print(f"{'ok' if good else 'not ok'} {number} - {name}: {worst:.1e} apart")
    return good


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
    peers = peerannot()
    print(f"1..{len(cases) + len(PEERANNOT) + len(CLEANLAB) + len(CONFIDENT)}")
    failed = 0
    for i, (name, n_classes, peer, options) in enumerate(cases):
        if "--iterations" in options:
            options = [*(["--method", "dawid-skene"] if "--method" not in options else []), *options, "--smoothing", "0", "--tolerance", "0"]
        failed += not report(i + 1, name, difference(crowd(n_classes, seed=i + 1), peer, options))
    for i, (name, n_classes, peer, options) in enumerate(PEERANNOT, len(cases)):
        if peers is None:
            print(f"ok {i + 1} - {name} # SKIP peerannot cannot be installed here")
        else:
            failed += not report(i + 1, name, beside_peerannot(peers, n_classes, peer, options, seed=i + 1))
    for i, (name, n_classes, each) in enumerate(CLEANLAB, len(cases) + len(PEERANNOT)):
        failed += not report(i + 1, name, beside_cleanlab(n_classes, each, seed=i + 1))
    for i, (name, n_classes, labelled) in enumerate(CONFIDENT, len(cases) + len(PEERANNOT) + len(CLEANLAB)):
        failed += not report(i + 1, name, beside_confident_learning(n_classes, labelled, seed=i + 1))
    sys.exit(failed > 0)


main()
