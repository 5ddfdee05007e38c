# SPDX-License-Identifier: GPL-3.0-or-later
"""What other tools do with the same input: prints the seconds and those of the processors, imports not counted.  peers.py NAME FILE (or the number of rows)"""
import sys
import time


def pyarrow_csv(path, **options):
    import pyarrow.csv as csv
    return lambda: csv.read_csv(path, convert_options=csv.ConvertOptions(**options))


def duckdb_query(query):
    import duckdb
    connection = duckdb.connect()
    return lambda: connection.execute(query).fetchall()


def duckdb_mean(path):
    """One sum a class: DuckDB has no sum of lists."""
    sums = ", ".join(f"avg(label[{k}])" for k in range(1, 11))
    return duckdb_query(f"create table t as select item, {sums}, count(*) from '{path}' group by item")


def polars_csv(path):
    import polars
    return lambda: polars.read_csv(path)


def polars_mean(path):
    import polars as pl
    means = [pl.col("label").arr.get(k).mean().alias(str(k)) for k in range(10)]
    return lambda: pl.scan_parquet(path).group_by("item").agg(means).collect()


def stream(path):
    import pyarrow as pa
    return pa.ipc.open_stream(pa.memory_map(path)).read_all()


def beside(path, name):
    import os
    return os.path.join(os.path.dirname(path), f"{name}-parquet.parquet")


def polars_parquet(path):
    import polars
    frame = polars.from_arrow(stream(path))
    return lambda: frame.write_parquet(beside(path, "polars"))


def pyarrow_parquet(path):
    import pyarrow.parquet
    table = stream(path)
    return lambda: pyarrow.parquet.write_table(table, beside(path, "pyarrow"), compression="zstd")


def duckdb_parquet(path):
    import duckdb
    connection = duckdb.connect()
    connection.register("labels", stream(path))
    return lambda: connection.execute(f"copy labels to '{beside(path, 'duckdb')}' (format parquet, compression zstd)")


def answers(path):
    """Two choices and three classes ruled out in every row, as arrays."""
    import numpy as np
    import pyarrow as pa
    table = pa.ipc.open_stream(pa.memory_map(path)).read_all().combine_chunks()
    choices = table["choices"].chunk(0).values
    first, second = np.asarray(choices.field("class").indices).reshape(-1, 2).T
    percents = np.asarray(choices.field("percent")).reshape(-1, 2)
    ruled_out = np.asarray(table["impossible"].chunk(0).values.indices).reshape(-1, 3)
    return first, second, percents, ruled_out


def redistribute_vectorised(first, second, percents, ruled_out, gamma=0.1):
    import numpy as np
    n = len(first)
    rows = np.arange(n)
    p = np.zeros((n, 10))
    p[rows, first] = percents[:, 0] / 100
    p[rows, second] = percents[:, 1] / 100
    open_classes = p == 0
    open_classes[rows[:, None], ruled_out] = False
    count = open_classes.sum(axis=1)
    total = p.sum(axis=1)
    full = total >= 1
    p /= np.where(full | (count == 0), total, 1)[:, None]
    p *= np.where(full & (count > 0), 1 - gamma, 1)[:, None]
    share = np.where(full, gamma, 1 - total) / np.maximum(count, 1)
    p += open_classes * share[:, None]
    return p / p.sum(axis=1)[:, None]


def redistribute_row(first, second, percents, ruled_out, gamma=0.1):
    import numpy as np
    p = np.zeros(10)
    p[first], p[second] = percents / 100
    possible = p == 0
    possible[ruled_out] = False
    count, total = possible.sum(), p.sum()
    if total < 1:
        if count:
            p[possible] += (1 - total) / count
    else:
        p /= total
        if count:
            p *= 1 - gamma
            p[possible] += gamma / count
    return p / p.sum()


def numpy_vectorised(path):
    return lambda: redistribute_vectorised(*answers(path))


def numpy_rows(path):
    return lambda: [redistribute_row(*row) for row in zip(*(column[::100] for column in answers(path)))]


def crowd_frame(path):
    import pyarrow as pa
    table = pa.ipc.open_stream(pa.memory_map(path)).read_all()
    return table.to_pandas().set_axis(["task", "worker", "label"], axis=1).astype({"label": str})


def crowdkit(path, name, **options):
    """The fit alone, of answers that are in a data frame."""
    import crowdkit.aggregation
    frame = crowd_frame(path)
    method = getattr(crowdkit.aggregation, name)(**options)
    return lambda: method.fit(frame)


def variational(path, groups, rounds=20):
    """IBCC (one group a class) and EBCC, as their equations are mostly written in Python: a sparse matrix of items and annotators for
    each class, and products of matrices."""
    import numpy as np
    import scipy.sparse
    from scipy.special import digamma
    frame = crowd_frame(path)
    item, annotator, answer = (frame[name].astype("category").cat.codes.to_numpy() for name in ("task", "worker", "label"))
    said = [scipy.sparse.coo_array((np.ones((answer == x).sum()), (item[answer == x], annotator[answer == x]))).tocsr() for x in range(answer.max() + 1)]
    shape = item.max() + 1, annotator.max() + 1
    for matrix in said:
        matrix.resize(shape)

    def work():
        k, rng = len(said), np.random.default_rng(1)
        votes = np.stack([np.asarray(matrix.sum(axis=1)).ravel() for matrix in said], axis=1)
        votes /= votes.sum(axis=1, keepdims=True)
        label = (votes[:, :, None] * rng.dirichlet(np.ones(groups), votes.shape)).reshape(len(votes), -1)
        prior = np.repeat(np.eye(k) * 3 + 1, groups, axis=0)
        for _ in range(rounds):
            classes = label.reshape(len(label), k, groups).sum(axis=2)
            share = 0.1 / groups + label.sum(axis=0).reshape(k, groups)
            log_share = digamma(votes.sum(axis=0) + classes.sum(axis=0))[:, None] + digamma(share) - digamma(share.sum(axis=1, keepdims=True))
            counts = np.stack([matrix.T @ label for matrix in said], axis=2) + prior
            log_theta = digamma(counts) - digamma(counts.sum(axis=2, keepdims=True))
            label = log_share.ravel() + sum(matrix @ log_theta[:, :, x] for x, matrix in enumerate(said))
            label = np.exp(label - label.max(axis=1, keepdims=True))
            label /= label.sum(axis=1, keepdims=True)
        return label
    return work


def crowd_arrays(rows, n=5, n_annotators=1000, n_classes=10):
    """Items, annotators and classes of ROWS votes, N an item by different annotators, a million at a time."""
    import numpy as np
    random = np.random.default_rng(0)
    sums = np.stack([random.dirichlet(10 * np.where(np.arange(n_classes) == k, .7, .3 / (n_classes - 1)), n_annotators)
                     for k in range(n_classes)], axis=1).cumsum(axis=2)
    for first in range(0, rows // n, 200_000):
        size = min(200_000, rows // n - first)
        truth = random.integers(0, n_classes, size)
        who = random.integers(0, n_annotators, (size, n))
        while True:
            ordered = np.sort(who, axis=1)
            again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
            if len(again) == 0:
                break
            who[again] = random.integers(0, n_annotators, (len(again), n))
        answer = (sums[who, truth[:, None]] <= random.random((size, n, 1))).sum(axis=2)
        yield np.repeat(np.arange(first, first + size), n), who.ravel(), np.minimum(answer, n_classes - 1).ravel()


def numpy_crowd(rows):
    return lambda: [None for _ in crowd_arrays(int(rows))]


def numpy_crowd_table(rows):
    """With names, written as a stream to nowhere."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    people = pa.array([f"a{a + 1}" for a in range(1000)])
    classes = pa.array([f"c{k + 1}" for k in range(10)])
    schema = pa.schema({"item": pa.string(), "annotator": pa.string(), "class": pa.dictionary(pa.int32(), pa.string())})

    def work():
        with pa.OSFile("/dev/null", "wb") as file, pa.ipc.new_stream(file, schema) as stream:
            for item, who, answer in crowd_arrays(int(rows)):
                names = pc.binary_join_element_wise("i", pa.array(item + 1).cast(pa.string()), "")
                votes = pa.DictionaryArray.from_arrays(pa.array(answer.astype(np.int32)), classes)
                stream.write(pa.record_batch([names, people.take(pa.array(who)), votes], schema=schema))
    return work


def elicit_model(folder):
    """Items' labels, and the numbers of the model: both Betas, the running shares of alternatives, who is beside whom."""
    import numpy as np
    import pyarrow.parquet as pq
    table = pq.read_table(f"{folder}/items.parquet")
    labels = table["label"].combine_chunks().flatten().to_numpy().reshape(len(table), -1)
    rows = pq.read_table(f"{folder}/model.parquet").to_pylist()
    value = {row["name"]: row["value"] for row in rows if row["name"] != "likeness"}
    names = sorted({row["class"] for row in rows if row["name"] == "likeness"})
    likeness = np.full((len(names), len(names)), 0.0)
    for row in rows:
        if row["name"] == "likeness":
            likeness[names.index(row["class"]), names.index(row["other"])] = row["value"]
    np.fill_diagonal(likeness, np.inf)
    rank = np.argsort(-likeness, axis=1, kind="stable")[:, 1:]
    share = np.cumsum([value[f"alternatives.{k}"] for k in range(len(names))])
    return labels, (value["top1.alpha"], value["top1.beta"]), (value["top2.alpha"], value["top2.beta"]), share / share[-1], rank


def elicit_vectorised(rng, labels, first, second, share, rank, gamma=0.1):
    import numpy as np
    n, k = labels.shape
    rows = np.arange(n)
    c = (np.cumsum(labels, axis=1) <= rng.random((n, 1))).sum(axis=1).clip(max=k - 1)
    a = rng.beta(*first, n)
    j = np.searchsorted(share, rng.random(n), side="right")
    b = np.where(j > 0, rng.beta(*second, n), 0)
    p = np.zeros((n, k))
    p[rows, c] = a
    p[rows, rank[c, 0]] += b
    possible = np.zeros((n, k), bool)
    np.put_along_axis(possible, rank[c], np.arange(k - 1) < j[:, None], axis=1)
    left = possible & (p == 0)
    n_left, total = left.sum(axis=1), a + b
    over = (total >= 1) | (n_left == 0)
    p[over] /= total[over, None]
    spread = np.where(n_left > 0, np.where(over, gamma, 1 - total) / np.maximum(n_left, 1), 0)
    p[over & (n_left > 0)] *= 1 - gamma
    return p + left * spread[:, None]


def elicit_row(rng, label, first, second, share, rank, gamma=0.1):
    import numpy as np
    k = len(label)
    c = min(np.searchsorted(np.cumsum(label), rng.random(), side="right"), k - 1)
    p = np.zeros(k)
    p[c] = rng.beta(*first)
    possible = rank[c][:np.searchsorted(share, rng.random(), side="right")]
    if len(possible):
        p[possible[0]] = rng.beta(*second)
    left = [l for l in possible if p[l] == 0]
    total = p.sum()
    if total >= 1 or not left:
        p /= total
        p *= 1 - gamma if left else 1
        p[left] = gamma / max(len(left), 1)
    else:
        p[left] = (1 - total) / len(left)
    return p


def numpy_elicit(folder):
    import numpy as np
    labels, *model = elicit_model(folder)
    rng = np.random.default_rng(1)
    step = 100_000
    return lambda: [None for _ in range(10) for i in range(0, len(labels), step) if elicit_vectorised(rng, labels[i:i + step], *model) is None]


def numpy_elicit_rows(folder):
    import numpy as np
    labels, *model = elicit_model(folder)
    rng = np.random.default_rng(1)
    return lambda: [elicit_row(rng, label, *model) for _ in range(10) for label in labels[::100]]


def numpy_score(path):
    """The metrics that softlabel makes unasked, of two tables in one order; reading included."""
    import numpy as np
    import pyarrow.parquet

    def read(file):
        table = pyarrow.parquet.read_table(file, columns=["label"])
        return table["label"].combine_chunks().flatten().to_numpy().reshape(-1, 10)

    def work():
        t, p = read(path.replace("model-", "people-")), read(path)
        log_p, log_t = np.log(np.clip(p, 1e-12, 1 - 1e-12)), np.log(np.clip(t, 1e-300, 1))
        m = (p + t) / 2
        y, order = t.argmax(axis=1), p.argsort(axis=1)
        right, sure = order[:, -1] == y, p.max(axis=1)
        h_p, h_t = -(p * np.log(np.clip(p, 1e-300, 1))).sum(axis=1), -(t * log_t).sum(axis=1)
        figures = [right.mean(), (right | (order[:, -2] == y)).mean(), (order[:, -2] == t.argsort(axis=1)[:, -2]).mean(),
                   -log_p[np.arange(len(y)), y].mean(), -(t * log_p).sum(axis=1).mean(), (t * (log_t - log_p)).sum(axis=1).mean(),
                   (-(m * np.log(np.clip(m, 1e-300, 1))).sum(axis=1) - (h_p + h_t) / 2).mean(), ((p - t) ** 2).sum(axis=1).mean(),
                   np.abs(p - t).sum(axis=1).mean(), np.abs(np.sort(p, axis=1) - np.sort(t, axis=1)).mean(), np.corrcoef(h_p, h_t)[0, 1],
                   sure.mean(), h_p.mean(), h_t.mean()]
        by_confidence = np.argsort(sure, kind="stable")
        edges = np.arange(0, len(sure) // 100 * 100, 100)
        n = np.diff(np.append(edges, len(sure)))
        gaps = (np.add.reduceat(sure[by_confidence], edges) - np.add.reduceat(right[by_confidence].astype(float), edges)) / n
        figures.append(np.sqrt((n * gaps ** 2).sum() / len(sure)))
        bins = np.minimum((sure * 15).astype(int), 14)
        figures.append(np.abs(np.bincount(bins, sure, 15) - np.bincount(bins, right, 15)).sum() / len(sure))
        wrong = np.cumsum(~right[by_confidence[::-1]])
        figures.append((wrong / np.arange(1, len(wrong) + 1)).mean())
        return figures
    return work


def scipy_bootstrap(path):
    import numpy as np
    import scipy.stats
    each = np.random.default_rng(1).gamma(1, size=10_000)
    return lambda: scipy.stats.bootstrap((each,), np.mean, n_resamples=10_000, method="percentile", batch=500)


def python_label_studio(path):
    import json

    def work():
        rows = []
        with open(path, encoding="utf-8") as file:
            for task in json.load(file):
                for annotation in task["annotations"]:
                    if annotation["was_cancelled"]:
                        continue
                    for result in annotation["result"]:
                        if result["from_name"] == "kind":
                            rows.append((task["id"], annotation["completed_by"], result["value"]["choices"][0], annotation["lead_time"]))
        return rows
    return work


PEERS = {
    "numpy-score": numpy_score,
    "scipy-bootstrap": scipy_bootstrap,
    "python-label-studio": python_label_studio,
    "pyarrow-plain": pyarrow_csv,
    "pyarrow-dictionaries": lambda path: pyarrow_csv(path, auto_dict_encode=True, auto_dict_max_cardinality=1 << 30),
    "duckdb-csv": lambda path: duckdb_query(f"create table t as select * from read_csv('{path}')"),
    "duckdb-mean": duckdb_mean,
    "polars-csv": polars_csv,
    "polars-mean": polars_mean,
    "polars-parquet": polars_parquet,
    "pyarrow-parquet": pyarrow_parquet,
    "duckdb-parquet": duckdb_parquet,
    "numpy-vectorised": numpy_vectorised,
    "numpy-rows": numpy_rows,
    "crowdkit-dawid-skene": lambda path: crowdkit(path, "DawidSkene", n_iter=20, tol=-1),
    "crowdkit-glad": lambda path: crowdkit(path, "GLAD", n_iter=10, tol=0, silent=True),
    "crowdkit-mace": lambda path: crowdkit(path, "MACE", n_restarts=1, n_iter=20),
    "numpy-ibcc": lambda path: variational(path, 1),
    "numpy-ebcc": lambda path: variational(path, 10),
    "numpy-elicit": numpy_elicit,
    "numpy-elicit-rows": numpy_elicit_rows,
    "numpy-crowd": numpy_crowd,
    "numpy-crowd-table": numpy_crowd_table,
}

work = PEERS[sys.argv[1]](sys.argv[2])
start, processors = time.perf_counter(), time.process_time()
work()
seconds, processors = time.perf_counter() - start, time.process_time() - processors
times = 100 if sys.argv[1].endswith("-rows") else 1
print(seconds * times, processors * times)
