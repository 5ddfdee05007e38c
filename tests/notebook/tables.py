# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of softlabel in notebooks: what pyarrow, pandas, Polars and DuckDB read, and what is taken back from them.

    tables.py SOFTLABEL          (in TAP)

A table's values are compared with `softlabel cat --format jsonl`, which is how softlabel itself prints them.
"""

import functools
import json
import math
import os
import subprocess
import sys
import tempfile
import traceback

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq

SOFTLABEL = os.path.abspath(sys.argv[1])
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "data")
FORMATS = ["parquet", "arrow", "arrows"]


def softlabel(*words, status=0, data=None):
    """Runs a stage; returns its standard output, or what it said if it is to fail."""
    done = subprocess.run([SOFTLABEL, *words], input=data, capture_output=True, check=False)
    said = done.stderr.decode()
    assert done.returncode == status, f"softlabel {' '.join(words)}: status {done.returncode}: {said}"
    return said if status else done.stdout


@functools.cache
def sample(name):
    """The rows of a sample, and its digest."""
    return rows_of(f"{name}.arrows"), digest(f"{name}.arrows")


def digest(path):
    """What stands for all that a table says, whatever its format."""
    return softlabel("id", path).split()[0]


def rows_of(path, *words):
    """The rows of a table as softlabel prints them."""
    return [json.loads(line) for line in softlabel("cat", path, "--format", "jsonl", *words).splitlines()]


def make_samples():
    survey = os.path.join(SAMPLES, "survey.csv")
    votes = os.path.join(SAMPLES, "votes.csv")
    softlabel("ingest", "-q", "--from", "jspsych", "--replace-percent", "8p=80", survey, "-o", "all.arrows")
    softlabel("exclude", "-q", "all.arrows", "-o", "answers.arrows", "--report", "annotators.parquet")
    softlabel("ingest", "--from", "long", votes, "-o", "votes.arrows")
    softlabel("redistribute", "answers.arrows", "-o", "each.arrows")
    softlabel("aggregate", "each.arrows", "-o", "labels.arrows")
    for name in ["answers", "votes", "each", "labels"]:
        for extension in ["parquet", "arrow"]:
            softlabel("cat", f"{name}.arrows", "-o", f"{name}.{extension}")
    softlabel("cat", "annotators.parquet", "-o", "annotators.arrows")
    softlabel("cat", "annotators.parquet", "-o", "annotators.arrow")


TABLES = ["answers", "votes", "each", "labels", "annotators"]


def same_value(found, wanted):
    """What JSON lines do not say is missing."""
    if isinstance(found, float) and math.isnan(found):
        found = None
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(same_value(f, w) for f, w in zip(found, wanted))
    if isinstance(wanted, dict):
        return all(same_value(found.get(key), wanted.get(key)) for key in {*found, *wanted})
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def compare(found, wanted, classes, what):
    """Rows as dicts. WANTED is from JSON lines, where a label is by class name; FOUND is too if CLASSES is None."""
    assert len(found) == len(wanted), f"{what}: {len(found)} rows, not {len(wanted)}"
    for i, (f, w) in enumerate(zip(found, wanted)):
        for name in {*f, *w}:
            value, expected = f.get(name), w.get(name)
            if name == "label":
                expected = expected if classes is None else [expected[c] for c in classes]
            assert same_value(value, expected), f"{what}, row {i + 1}, {name}: {value!r}, not {expected!r}"


def read_arrow(path):
    if path.endswith(".parquet"):
        return pq.read_table(path)
    if path.endswith(".arrow"):
        with pa.OSFile(path) as file:
            return pa.ipc.open_file(file).read_all()
    with pa.OSFile(path) as file:
        return pa.ipc.open_stream(file).read_all()


def metadata_of(schema):
    return {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}


def classes_of(name):
    return json.loads(metadata_of(read_arrow(f"{name}.arrows").schema).get("softlabel.classes", "[]"))


# What is read


def pyarrow_reads(name):
    wanted = sample(name)[0]
    assert len(wanted) > 10
    for extension in FORMATS:
        table = read_arrow(f"{name}.{extension}")
        table.validate(full=True)
        compare(table.to_pylist(), wanted, classes_of(name), f"{name}.{extension}")


def pyarrow_sees_metadata(name):
    kinds = {"answers": "annotations", "votes": "annotations", "each": "labels", "labels": "labels"}
    for extension in FORMATS:
        metadata = metadata_of(read_arrow(f"{name}.{extension}").schema)
        assert metadata["softlabel.table"] == kinds.get(name, name), metadata
        history = json.loads(metadata["softlabel.provenance"])
        assert history[0]["verb"] == "ingest" and history[0]["sources"][0]["xxh3"], history
    file_metadata = pq.read_metadata(f"{name}.parquet").metadata
    assert file_metadata[b"softlabel.table"].decode() == kinds.get(name, name)
    if name != "annotators":
        assert len(json.loads(file_metadata[b"softlabel.classes"])) == 10


def pyarrow_sees_types():
    label = pa.list_(pa.field("item", pa.float64(), nullable=False), 10)
    classes = pa.dictionary(pa.int32(), pa.string())
    for extension in FORMATS:
        schema = read_arrow(f"labels.{extension}").schema
        assert schema.field("label").type == label, schema
        assert not schema.field("label").nullable and not schema.field("item").nullable
        assert schema.field("item").type == pa.string() and schema.field("weight").type == pa.float64()
        assert schema.field("gold").type == classes and schema.field("gold").nullable, schema
        schema = read_arrow(f"votes.{extension}").schema
        assert schema.field("class").type == classes, schema
        schema = read_arrow(f"answers.{extension}").schema
        choice = schema.field("choices").type.value_type
        assert choice.field("class").type == classes and choice.field("percent").type == pa.float64(), schema
        assert schema.field("impossible").type.value_type == classes, schema
        assert schema.field("repeat").type == pa.bool_() and schema.field("trial").type == pa.int32(), schema


def as_numpy():
    """The label column is a matrix without a copy."""
    table = read_arrow("labels.arrows").combine_chunks()
    column = table["label"].chunk(0)
    matrix = column.flatten().to_numpy(zero_copy_only=True).reshape(len(table), -1)
    assert matrix.shape == (len(table), 10) and np.allclose(matrix.sum(axis=1), 1, atol=1e-12, rtol=0)


def plain(value):
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    return value.item() if isinstance(value, np.generic) else value


def pandas_reads(name):
    wanted = sample(name)[0]
    frames = {
        "read_parquet": pd.read_parquet(f"{name}.parquet"),
        "read_feather": pd.read_feather(f"{name}.arrow"),
        "a stream": read_arrow(f"{name}.arrows").to_pandas(),
    }
    for how, frame in frames.items():
        found = [{key: plain(value) for key, value in row.items()} for row in frame.to_dict("records")]
        compare(found, wanted, classes_of(name), f"{name} by {how}")
    if name == "votes":
        for frame in frames.values():
            assert isinstance(frame["class"].dtype, pd.CategoricalDtype)
            assert list(frame["class"].cat.categories) == classes_of(name)


def polars_reads(name):
    wanted = sample(name)[0]
    frames = {
        "read_parquet": pl.read_parquet(f"{name}.parquet"),
        "scan_parquet": pl.scan_parquet(f"{name}.parquet").collect(),
        "read_ipc": pl.read_ipc(f"{name}.arrow"),
        "read_ipc_stream": pl.read_ipc_stream(f"{name}.arrows"),
    }
    for how, frame in frames.items():
        compare(frame.to_dicts(), wanted, classes_of(name), f"{name} by {how}")
    if name == "labels":
        for frame in frames.values():
            assert frame["label"].dtype == pl.Array(pl.Float64, 10), frame.schema


def duckdb_reads(name):
    wanted = sample(name)[0]
    by_file = duckdb.sql(f"from '{name}.parquet'")
    stream = read_arrow(f"{name}.arrows")  # found by its name in the query
    by_stream = duckdb.sql("from stream")
    for how, relation in {"parquet": by_file, "an Arrow table": by_stream}.items():
        found = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
        found = [{k: list(v) if isinstance(v, tuple) else v for k, v in row.items()} for row in found]
        compare(found, wanted, classes_of(name), f"{name} by {how}")
    assert len(stream) == len(wanted)


def duckdb_counts():
    """What a user would ask: the votes for each class of an item, and choices taken apart."""
    wanted = sample("votes")[0]
    [(most,)] = duckdb.sql("select max(n) from (select count(*) as n from 'votes.parquet' group by item, class)").fetchall()
    counts = {}
    for row in wanted:
        counts[row["item"], row["class"]] = counts.get((row["item"], row["class"]), 0) + 1
    assert most == max(counts.values())
    [(mass,)] = duckdb.sql(
        "select sum(c.percent) from (select unnest(choices) as c from 'answers.parquet') where c.class = 'Cat'"
    ).fetchall()
    total = sum(c["percent"] or 0 for row in sample("answers")[0] for c in row["choices"] if c["class"] == "Cat")
    assert abs(mass - total) < 1e-6, (mass, total)


# What is taken back


def taken_back(path, name, *options):
    """PATH says what the sample NAME says."""
    softlabel("cat", path, *options, "-o", "back.arrows")
    rows, name_digest = sample(name)
    compare(rows_of("back.arrows"), rows, None, f"{path}, taken back")
    assert digest("back.arrows") == name_digest, f"{path}: another id"
    os.remove(path)


def told(name):
    kind = {"answers": "annotations", "votes": "annotations", "annotators": "annotators"}.get(name, "labels")
    classes = classes_of(name)
    return ["--table", kind, *(["--classes", ",".join(classes)] if classes else [])]


def pyarrow_back(name):
    for extension in FORMATS:
        table = read_arrow(f"{name}.{extension}")
        pq.write_table(table, "x.parquet")
        taken_back("x.parquet", name)
        pq.write_table(table, "x.parquet", row_group_size=7, compression="snappy", version="1.0", store_schema=False)
        taken_back("x.parquet", name, *told(name))
        with pa.OSFile("x.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=33)
        if not any(pa.types.is_nested(f.type) for f in table.schema):
            taken_back("x.arrow", name)
        with pa.OSFile("x.arrows", "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=1)
        taken_back("x.arrows", name)
        pyarrow.feather.write_feather(table, "x.feather")
        taken_back("x.feather", name)


def pyarrow_by_pipe():
    """Straight from a script into a stage, as in a shell pipeline."""
    table = read_arrow("votes.parquet")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.slice(100, 50), max_chunksize=9)
    out = softlabel("aggregate", "--format", "jsonl", data=sink.getvalue().to_pybytes())
    assert len(out.splitlines()) == len({row["item"] for row in sample("votes")[0][100:150]})


def columns_let_be():
    """Columns that are not of the kind, of every type there is, beside one that has to be made plain."""
    votes = read_arrow("votes.arrows")
    n = len(votes)
    others = {
        "list views": pa.array([[1]] * n, pa.list_view(pa.int32())),
        "large list views": pa.array([["a"]] * n, pa.large_list_view(pa.string_view())),
        "nested": pa.array([[{"a": "x", "b": [b"y"]}]] * n, pa.list_(pa.struct([("a", pa.string_view()), ("b", pa.list_(pa.binary_view()))]))),
        "views in lists": pa.array([[[1]]] * n, pa.list_(pa.list_view(pa.int32()))),
        "runs of views": pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), pa.array(["x"], pa.string_view())),
        "union of views": pa.UnionArray.from_sparse(pa.array([0] * n, pa.int8()), [pa.array([1] * n), pa.array(["a"] * n, pa.string_view())]),
        "JSON views": pa.ExtensionArray.from_storage(pa.json_(pa.string_view()), pa.array(["1"] * n, pa.string_view())),
        "fixed": pa.array([["a", "b"]] * n, pa.list_(pa.string_view(), 2)),
        "map": pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int32())),
        "map of views": pa.array([[("a", 1)]] * n, pa.map_(pa.string_view(), pa.int32())),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), pa.array(["x"])),
        "union": pa.UnionArray.from_sparse(pa.array([0] * n, pa.int8()), [pa.array([1] * n), pa.array(["a"] * n)]),
        "uuid": pa.array([b"0" * 16] * n, pa.uuid()),
        "json": pa.array(["1"] * n, pa.json_()),
        "nothing": pa.nulls(n),
        "half": pa.array([1.0] * n, pa.float16()),
        "decimal": pa.array([1] * n).cast(pa.decimal256(40, 2)),
        "duration": pa.array([1] * n, pa.duration("s")),
        "interval": pa.array([(1, 2, 3)] * n, pa.month_day_nano_interval()),
        "time": pa.array([0] * n, pa.timestamp("ns", "Europe/Berlin")),
    }
    plain_item = {"item": votes["item"], "annotator": votes["annotator"]}
    view_item = {"item": votes["item"].cast(pa.string_view()), "annotator": votes["annotator"]}
    for items in [plain_item, view_item]:
        for chosen in [*([name] for name in others if items is view_item), list(others)]:
            table = pa.table({**{name: others[name] for name in chosen}, **items, "class": votes["class"]})
            with pa.OSFile("x.arrows", "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
                writer.write_table(table, max_chunksize=999)
            taken_back("x.arrows", "votes", *told("votes"))


def other_types():
    """The same labels as float32, in lists, with large and with view types, in other orders."""
    table = read_arrow("labels.arrows").combine_chunks()
    names = classes_of("labels")
    matrix = np.array([[row[c] for c in names] for row in [r["label"] for r in sample("labels")[0]]])
    labels = [pa.list_(pa.float64()), pa.large_list(pa.float64()), pa.list_(pa.float64(), 10), pa.list_view(pa.float64())]
    texts = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.large_string())]
    for number, text in enumerate(texts):
        for label_type in [labels[number], labels[number - 1]]:
            gold = table["gold"].cast(pa.string())
            if pa.types.is_dictionary(text):
                gold = gold.cast(pa.large_string()).combine_chunks().dictionary_encode()
                item = table["item"].cast(pa.large_string()).combine_chunks().dictionary_encode()
            else:
                gold, item = gold.cast(text), table["item"].cast(text)
            columns = {
                "note": pa.nulls(len(table)),
                "gold": gold,
                "label": pa.array(matrix.tolist(), label_type),
                "weight": table["weight"].cast(pa.int16()),
                "item": item,
            }
            other = pa.table(columns)
            with pa.OSFile("x.arrows", "wb") as file, pa.ipc.new_stream(file, other.schema) as writer:
                writer.write_table(other, max_chunksize=50)
            taken_back("x.arrows", "labels", *told("labels"))
    single = pa.table({"item": table["item"], "weight": table["weight"], "label": pa.array(matrix.tolist(), pa.list_(pa.float32()))})
    pq.write_table(single, "x.parquet")
    found = rows_of("x.parquet", *told("labels"))
    for i, row in enumerate(found):
        for k, name in enumerate(names):
            assert row["label"][name] == float(np.float32(matrix[i, k])), row


def pandas_back(name):
    frame = pd.read_parquet(f"{name}.parquet")
    frame.to_parquet("x.parquet")
    taken_back("x.parquet", name, *told(name))
    frame.to_parquet("x.parquet", index=True, compression=None)
    taken_back("x.parquet", name, *told(name))
    frame.iloc[::-1].reset_index(drop=True).iloc[::-1].to_parquet("x.parquet")
    taken_back("x.parquet", name, *told(name))
    if name == "votes":
        frame["class"] = frame["class"].astype(str)
        frame.to_feather("x.feather")
        taken_back("x.feather", name, *told(name))
        frame["class"] = pd.Categorical(frame["class"], categories=classes_of(name)[::-1])
        frame.to_parquet("x.parquet")
        taken_back("x.parquet", name, *told(name))


def polars_back(name):
    frame = pl.read_parquet(f"{name}.parquet")
    frame.write_parquet("x.parquet")
    taken_back("x.parquet", name, *told(name))
    frame.write_ipc_stream("x.arrows")
    taken_back("x.arrows", name, *told(name))
    frame.write_ipc_stream("x.arrows", compat_level=pl.CompatLevel.oldest())
    taken_back("x.arrows", name, *told(name))
    # Its files hold no stream, as Arrow's do: they are read by their footer.
    frame.write_ipc("x.arrow")
    taken_back("x.arrow", name, *told(name))
    if name == "votes":
        frame.with_columns(pl.col("class").cast(pl.String)).write_parquet("x.parquet")
        taken_back("x.parquet", name, *told(name))
        frame.with_columns(pl.col("class").cast(pl.Enum(classes_of(name)[::-1]))).write_parquet("x.parquet")
        taken_back("x.parquet", name, *told(name))


def duckdb_back(name):
    duckdb.sql(f"copy (from '{name}.parquet') to 'x.parquet'")
    taken_back("x.parquet", name, *told(name))
    duckdb.sql(f"copy (from '{name}.parquet') to 'x.parquet' (compression zstd, row_group_size 2048, parquet_version v2)")
    taken_back("x.parquet", name, *told(name))


def duckdb_makes_labels():
    """Labels computed in SQL, with a weight that is a decimal or an integer there."""
    duckdb.sql(
        """copy (select item, list_value(0.25, 0.75)::double[2] as label, 1.0 as weight, 'dog' as gold
                 from (values ('a'), ('b')) as t(item)) to 'x.parquet'"""
    )
    found = rows_of("x.parquet", "--table", "labels", "--classes", "cat,dog")
    assert found[0] == {"item": "a", "label": {"cat": 0.25, "dog": 0.75}, "weight": 1, "gold": "dog"}, found[0]


def edited_in_pandas():
    """A column of nothing but missing values, a dropped one, one too many."""
    frame = pd.read_parquet("labels.parquet")
    frame["gold"] = None
    frame["my note"] = "x"
    frame.to_parquet("x.parquet")
    found = rows_of("x.parquet", *told("labels"))
    assert all(row.get("gold") is None and "my note" not in row for row in found)
    frame.drop(columns="weight").to_parquet("x.parquet")
    assert "no column 'weight'" in softlabel("cat", "x.parquet", *told("labels"), "-o", "y.arrows", status=3)
    assert "does not say what kind" in softlabel("cat", "x.parquet", "-o", "y.arrows", status=3)
    wrong = pd.read_parquet("labels.parquet")
    wrong.at[41, "label"] = np.full(10, 0.11)
    wrong.to_parquet("x.parquet")
    assert "row 42: label sums to 1.1" in softlabel("cat", "x.parquet", *told("labels"), "-o", "y.arrows", status=3)
    assert not os.path.exists("y.arrows")


def row_groups():
    """Parquet of several row groups: distributions that differ, which are pages of numbers alone, and some that recur, which have a dictionary."""
    rows, n_classes = 3 * 16384 + 1000, 200
    random = np.random.default_rng(1)
    labels = random.random((rows, n_classes))
    labels[16384:40000] = np.eye(n_classes)[random.integers(0, n_classes, 40000 - 16384)]
    labels /= labels.sum(axis=1, keepdims=True)
    labels[::7, 3:] = 0
    labels[::7, :3] = 1 / 3
    items = np.char.add("item ", (np.arange(rows) % 9973).astype(str))
    told = {"softlabel.table": "labels", "softlabel.classes": json.dumps([f"class {k}" for k in range(n_classes)])}
    made = pa.table({"item": pa.array(items), "label": pa.FixedSizeListArray.from_arrays(pa.array(labels.ravel()), n_classes),
                     "weight": pa.array(random.integers(1, 99, rows).astype(float))}).replace_schema_metadata(told)
    with pa.OSFile("large.arrows", "wb") as file, pa.ipc.new_stream(file, made.schema) as stream:
        stream.write_table(made, max_chunksize=777)
    for threads in ["1", "2", "3"]:
        softlabel("cat", "-j", threads, "large.arrows", "-o", f"large-{threads}.parquet")
    path = "large-1.parquet"
    with open(path, "rb") as first:
        first = first.read()
        for threads in ["2", "3"]:
            with open(f"large-{threads}.parquet", "rb") as other:
                assert other.read() == first, threads
    file = pq.ParquetFile(path)
    encodings = [set(file.metadata.row_group(g).column(1).encodings) for g in range(file.num_row_groups)]
    assert encodings[0] == {"PLAIN", "RLE"} and "RLE_DICTIONARY" in encodings[1] and len(encodings) == 4, encodings
    assert file.metadata.row_group(0).column(0).statistics.min == "item 0"

    def same(column, item, weight):
        assert np.array_equal(np.asarray(column, dtype=float).reshape(rows, n_classes), labels)
        assert np.array_equal(np.asarray(item).astype(str), items) and np.array_equal(np.asarray(weight), made["weight"].to_numpy())

    table = pq.read_table(path, page_checksum_verification=True)
    same(table["label"].combine_chunks().flatten(), table["item"], table["weight"])
    frame = pl.read_parquet(path)
    same(frame["label"].explode(), frame["item"], frame["weight"])
    found = duckdb.sql(f"select item, label, weight from '{path}'").to_arrow_table().combine_chunks()
    same(found["label"].chunk(0).flatten(), found["item"], found["weight"])
    assert digest(path) == digest("large.arrows")
    # What pyarrow writes of them: pages of either version, numbers in each encoding, lists that may be missing.
    small = made.slice(0, 3000)
    with pa.OSFile("small.arrows", "wb") as file, pa.ipc.new_stream(file, small.schema) as stream:
        stream.write_table(small)
    for more in [{}, {"data_page_version": "2.0"}, {"data_page_size": 1000, "write_batch_size": 7}, {"use_dictionary": False}, {"row_group_size": 999},
                 {"use_dictionary": ["label.list.element"]}, {"use_dictionary": False, "use_byte_stream_split": ["label.list.element"]}]:
        for threads in ["1", "2"]:
            pq.write_table(small, "small.parquet", **more)
            assert softlabel("id", "-j", threads, "small.parquet").split()[0] == digest("small.arrows"), more
    for missing in [pa.array([None] * n_classes), None]:
        rows_with = small["label"].to_pylist()
        rows_with[2000] = missing and missing.to_pylist()
        pq.write_table(small.set_column(1, "label", pa.array(rows_with, small.schema.field("label").type)), "missing.parquet")
        said = softlabel("cat", "missing.parquet", "-o", "x.arrows", status=3)
        # Of a list that is not there, Arrow's reader does not say which one.
        assert ("missing.parquet: row 2001" if missing else "missing.parquet: has a list that is missing") in said, said


def report(prepare, checks):
    """Runs CHECKS, pairs of a label and a function, in a folder of their own, and reports in TAP."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        for number, (label, check) in enumerate(checks, 1):
            try:
                check()
                print(f"ok {number} - {label}", flush=True)
            except Exception:  # what any library raises is a failed check, not the end of all
                failed += 1
                print(f"not ok {number} - {label}")
                for line in traceback.format_exc().splitlines()[-6:]:
                    print(f"# {line[:500]}", flush=True)
        os.chdir("/")
    print(f"1..{len(checks)}")
    return failed > 0


def main():
    checks = [("pyarrow sees the types", pyarrow_sees_types), ("labels are a NumPy matrix", as_numpy)]
    for name in TABLES:
        checks += [
            (f"pyarrow reads {name}", lambda n=name: pyarrow_reads(n)),
            (f"pyarrow sees the metadata of {name}", lambda n=name: pyarrow_sees_metadata(n)),
            (f"pandas reads {name}", lambda n=name: pandas_reads(n)),
            (f"Polars reads {name}", lambda n=name: polars_reads(n)),
            (f"DuckDB reads {name}", lambda n=name: duckdb_reads(n)),
            (f"{name} from pyarrow", lambda n=name: pyarrow_back(n)),
            (f"{name} from pandas", lambda n=name: pandas_back(n)),
            (f"{name} from Polars", lambda n=name: polars_back(n)),
            (f"{name} from DuckDB", lambda n=name: duckdb_back(n)),
        ]
    checks += [
        ("row groups of either encoding", row_groups),
        ("DuckDB counts", duckdb_counts),
        ("pyarrow into a pipe", pyarrow_by_pipe),
        ("other types of columns", other_types),
        ("columns that are let be", columns_let_be),
        ("labels made by DuckDB", duckdb_makes_labels),
        ("edited in pandas", edited_in_pandas),
    ]
    return report(make_samples, checks)


if __name__ == "__main__":
    sys.exit(main())
