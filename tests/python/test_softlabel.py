# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python package: each function makes the table that its verb makes, of whatever frame; and how runs end."""
import contextlib
import inspect
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import softlabel
from softlabel import _program, _table, _verbs

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "data")
VOTES = os.path.join(SAMPLES, "votes.csv")
TRUTH = os.path.join(SAMPLES, "truth.csv")
FEATURES = os.path.join(SAMPLES, "embeddings.parquet")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def votes():
    return pd.read_csv(VOTES)


def shell(line):
    done = subprocess.run(line, shell=True, capture_output=True, check=False, env={**os.environ, "VOTES": VOTES, "TRUTH": TRUTH, "FEATURES": FEATURES})
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def made_by(line):
    """The table that a command line makes."""
    return pa.ipc.open_stream(shell(line)).read_all()


def digest(table):
    """What stands for all that a table says."""
    return softlabel.id(table).split()[0]


def processes_below(pid):
    return subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()


# ---- what goes in ----


FRAMES = {
    "pandas": lambda frame: frame,
    "pandas with an index": lambda frame: frame.set_index("item"),
    "pandas, rows left out": lambda frame: pd.concat([frame.iloc[:1], frame])[1:],
    "Polars": pl.from_pandas,
    "Polars, lazy no more": lambda frame: pl.from_pandas(frame).lazy().collect(),
    "Arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "batches": lambda frame: pa.Table.from_pandas(frame, preserve_index=False).to_reader(100),
    "chunks": lambda frame: pa.concat_tables(pa.Table.from_pandas(part, preserve_index=False) for part in (frame[:700], frame[700:])),
    "DuckDB": lambda frame: duckdb.from_df(frame),
    "columns": lambda frame: {name: frame[name].tolist() for name in frame},
    "a path": lambda frame: VOTES,
}


@pytest.mark.parametrize("form", FRAMES)
def test_frames(votes, form):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a file is taken for
        labels = softlabel.aggregate(FRAMES[form](votes), method="dawid-skene")
        assert labels.to_arrow().equals(made_by("softlabel ingest --from long $VOTES | softlabel aggregate --method dawid-skene"))


def test_an_index_that_counts():
    frame = pd.DataFrame({"class": ["a", "b", "a"]}, index=pd.RangeIndex(7, 10, name="item"))
    assert softlabel.ingest(frame)["item"].to_pylist() == ["7", "8", "9"]


def test_own_tables_need_no_ingest(votes):
    answers = softlabel.ingest(votes)
    softlabel.cat(answers, output="answers.parquet")
    softlabel.cat(answers, output="answers.arrow")
    wanted = digest(softlabel.aggregate(answers))
    for data in ("answers.parquet", "answers.arrow", answers.to_arrow(), answers.to_arrow().to_reader()):
        table = softlabel.Table(data)
        assert table._words is None
        assert digest(softlabel.aggregate(table)) == wanted


def test_several_files(votes):
    for name, part in (("a.csv", votes[:1000]), ("b.csv", votes[1000:])):
        part.to_csv(name, index=False)
        softlabel.ingest(name, classes=sorted(votes["label"].unique()), from_="long", output=name.replace("csv", "parquet"))
    wanted = digest(softlabel.aggregate(votes))
    assert digest(softlabel.aggregate(["a.parquet", "b.parquet"])) == wanted
    assert digest(softlabel.aggregate("a.parquet", "b.parquet")) == wanted
    assert digest(softlabel.ingest("a.csv", "b.csv", from_="long").aggregate()) == wanted
    assert len(softlabel.cat(softlabel.Table("a.parquet"), softlabel.ingest("b.csv", from_="long"))) == 2000


def test_order_of_a_category():
    frame = pd.DataFrame({"item": ["a", "b"], "class": pd.Categorical(["cat", "dog"], categories=["zebra", "dog", "cat"], ordered=True)})
    assert softlabel.ingest(frame).classes == ["zebra", "dog", "cat"]


def test_reader_is_read_once(votes):
    reader = pa.Table.from_pandas(votes).to_reader()
    answers = softlabel.ingest(reader)
    softlabel.aggregate(answers).to_arrow()
    with pytest.raises(softlabel.Error, match="read already"):
        softlabel.aggregate(answers, method="auto").to_arrow()


def test_forgotten_kind(votes):
    labels = softlabel.aggregate(votes)
    plain = labels.to_polars()
    again = softlabel.Table(plain, kind="labels", classes=labels.classes)
    assert again.kind == "labels" and digest(again) == digest(labels)


def test_other_forms():
    counts = np.array([[3, 1, 0], [0, 0, 5]])
    made = softlabel.ingest(counts, from_="counts", classes=["a", "b", "c"]).aggregate(method="counts")
    assert made.to_numpy().tolist() == [[.75, .25, 0], [0, 0, 1]]
    features = softlabel.ingest(np.eye(3, dtype=np.float32), from_="npy", items=["x", "y", "z"])
    assert features.kind == "features" and features["item"].to_pylist() == ["x", "y", "z"]
    assert features.to_numpy().tolist() == np.eye(3).tolist()
    frame = pd.DataFrame({"item": ["x", "y"], "cat": [.25, 1.0], "dog": [.75, 0.0]})
    assert softlabel.ingest(frame, from_="labels").to_numpy().tolist() == [[.25, .75], [1, 0]]
    assert softlabel.ingest(frame, from_="labels").kind == "labels"


def test_no_table():
    with pytest.raises(TypeError, match="int is no table"):
        softlabel.aggregate(3).to_arrow()
    with pytest.raises(TypeError, match=r"aggregate\(\) is given no table"):
        softlabel.aggregate()
    with pytest.raises(FileNotFoundError):
        softlabel.aggregate("no-such-file.parquet")


# ---- what comes out ----


LINES = [
    ("exclude(votes, min_agreement=.3)", "exclude --min-agreement 0.3"),
    ("redistribute(votes, top=2, gamma=.2)", "redistribute --top 2 --gamma 0.2"),
    ("aggregate(votes, method='auto')", "aggregate --method auto"),
    ("aggregate(votes, method='majority', ties='random', seed=3)", "aggregate --method majority --ties random --seed 3"),
    ("deaggregate(softlabel.aggregate(votes), draws=3, seed=2)", "aggregate | softlabel deaggregate --draws 3 --seed 2"),
    ("agreement(votes, by='items')", "agreement --by items"),
    ("select(votes, where='class = Cat')", "select --where 'class = Cat'"),
    ("simulate_fit(softlabel.aggregate(votes))", "aggregate | softlabel simulate fit"),
    ("cat(votes, tag={'study': 'a', 'round': 2})", "cat --tag study=a --tag round=2"),
    ("score(softlabel.aggregate(votes), gold=TRUTH, metrics=['accuracy', 'brier'])", "aggregate | softlabel score --gold=$TRUTH --metrics accuracy,brier"),
]


@pytest.mark.parametrize("call, line", LINES)
def test_same_as_the_command(votes, call, line):
    made = eval("softlabel." + call, {"softlabel": softlabel, "votes": softlabel.ingest(votes), "TRUTH": TRUTH})
    assert made.to_arrow().equals(made_by(f"softlabel ingest -q --from long $VOTES | softlabel {line}"))


def test_every_verb_is_there():
    told = softlabel.describe().splitlines()
    names = {_verbs.python_name(verb) for verb in _program.description()["verbs"]}
    assert names <= set(softlabel.__all__) and len(names) > 30 and len(told) >= len(names)
    for name, verb in _program.description()["verbs"].items():
        shape = inspect.signature(getattr(softlabel, _verbs.python_name(name)))
        assert list(shape.parameters)[1:] == [_verbs.python_name(option["name"]) for option in verb["options"]]
        assert verb["summary"][1:] in getattr(softlabel, _verbs.python_name(name)).__doc__


@pytest.mark.parametrize("column", [pd.Series, pd.Index, pl.Series, pa.array, np.array, lambda texts: np.array(texts, dtype=object)])
def test_columns_are_lists(votes, column):
    classes = sorted(votes["label"].unique(), reverse=True)
    answers = softlabel.ingest(votes, classes=column(classes))
    assert answers.classes == classes
    items = ["60003", "60001"]
    assert digest(softlabel.select(answers, items=column(items))) == digest(softlabel.select(answers, items=items))


def test_numbers_of_numpy(votes):
    options = {"iterations": 3, "tolerance": .25, "calibrate": True}
    arrays = {"iterations": np.int64(3), "tolerance": np.float32(.25), "calibrate": np.bool_(True)}
    assert digest(softlabel.aggregate(votes, method="one-coin", **arrays)) == digest(softlabel.aggregate(votes, method="one-coin", **options))


def test_columns_by_name_as_file(votes):
    groups = {"annotator": ["w00", "w02"], "group": ["a", "a"]}
    frame = softlabel.aggregate(votes, method="wawa", groups=pd.DataFrame(groups))
    assert digest(softlabel.aggregate(votes, method="wawa", groups=groups)) == digest(frame)


@pytest.mark.parametrize("data", [pd.Series([1]), pd.Index([1]), pl.Series(["a"]), pa.chunked_array([["a"]]), []])
def test_columns_are_no_tables(data):
    with pytest.raises(TypeError, match=f"{type(data).__name__} is no table"):
        softlabel.aggregate(data).to_arrow()


def test_several_frames(votes):
    for data in ([votes, votes],), (votes, votes):
        with pytest.raises(TypeError, match=r"softlabel.cat\(\) joins frames"):
            softlabel.aggregate(*data)


def test_words_are_names(votes):
    for data in votes, softlabel.ingest(votes):
        with pytest.raises(TypeError, match=r"verify\(\) takes names, or files' paths, and \w+ is none"):
            softlabel.verify(data)


def test_what_a_failed_stage_printed(votes):
    softlabel.ingest(votes, output="whole.parquet")
    with open("whole.parquet", "rb") as whole, open("cut.parquet", "wb") as cut:
        cut.write(whole.read()[:1000])
    assert softlabel.verify(["whole.parquet"]) == "whole.parquet: whole\n"
    with pytest.raises(softlabel.Error, match="(?s)^whole.parquet: whole\ncut.parquet: is not a whole Parquet file.*1 of 2 tables is damaged"):
        softlabel.verify(["whole.parquet", "cut.parquet"])
    with pytest.raises(softlabel.Error, match="none.parquet: cannot be read"):
        softlabel.verify("none.parquet")


def test_encoding_that_is_not_read(votes):
    answers = softlabel.ingest(votes).to_arrow()
    pq.write_table(answers, "delta.parquet", use_dictionary=False, column_encoding={"class": "DELTA_BYTE_ARRAY"})
    with pytest.raises(softlabel.Error, match="delta.parquet: is written in a way that is not read here"):
        softlabel.id("delta.parquet")


def test_list_that_is_missing(votes):
    labels = softlabel.aggregate(votes).to_arrow()
    lists = pa.array([None, *labels["label"].to_pylist()[1:]], pa.list_(pa.float64(), 10))
    pq.write_table(labels.set_column(1, "label", lists), "missing.parquet")
    with pytest.raises(softlabel.Error, match="missing.parquet: has a list that is missing, or of another length than the others, after row 0$"):
        softlabel.id("missing.parquet")


def test_options_are_checked(votes):
    with pytest.raises(TypeError, match=r"aggregate\(\) got an unexpected keyword argument 'metod'; did you mean 'method'"):
        softlabel.aggregate(votes, metod="auto")
    with pytest.raises(TypeError, match="compat is True or False"):
        softlabel.redistribute(votes, compat="yes")
    with pytest.raises(softlabel.Error, match="'best' is not one of") as caught:
        softlabel.aggregate(votes, method="best").to_arrow()
    assert caught.value.status == 2


def test_what_a_table_knows(votes):
    labels = softlabel.aggregate(votes, method="auto", tag={"study": "a"})
    assert labels.kind == "labels" and labels.tags == {"study": "a"} and len(labels) == 200 and labels.column_names == ["item", "label", "weight"]
    assert labels.classes == sorted(votes["label"].unique())
    matrix = labels.to_numpy()
    assert matrix.shape == (200, 10) and np.allclose(matrix.sum(axis=1), 1)
    assert labels.history.splitlines() == ["softlabel ingest --from long - \\", "  | softlabel aggregate --method auto --tag study=a"]
    assert list(labels.to_pandas()["item"]) == labels["item"].to_pylist() == labels.to_polars()["item"].to_list()
    assert np.array_equal(np.stack(labels.to_pandas()["label"]), matrix)
    assert pa.table(labels).equals(labels.to_arrow()) and pl.DataFrame(labels).shape == (200, 3)
    frame = labels.to_arrow()
    assert duckdb.sql("select count(item) from frame").fetchall() == [(200,)]
    assert "60003" in repr(labels) and "Dog" in repr(labels)
    drawn = labels._repr_html_()
    assert "<b>labels</b>" in drawn and 'class="bar"' in drawn and "192 more rows" in drawn
    with pytest.raises(softlabel.Error, match="annotations have no matrix"):
        softlabel.ingest(votes).to_numpy()


def test_a_notebook_says_an_error_once(votes):
    table = softlabel.aggregate(votes, method="no such")
    assert table._repr_html_() is None
    with pytest.raises(softlabel.Error) as caught:
        repr(table)
    assert caught.value._render_traceback_()[-1].startswith("softlabel.Error: softlabel aggregate: --method: 'no such' is not one of")


def test_html_is_escaped():
    evil = "<script>alert(1)</script>"
    drawn = softlabel.aggregate({"item": [evil, "b"], "class": [evil, "dog"]})._repr_html_()
    assert "<script>" not in drawn and "&lt;script&gt;" in drawn


def test_text_and_pages(votes):
    labels = softlabel.aggregate(votes)
    assert repr(labels.show(rows=2)).startswith("labels · 10 classes")
    assert labels.cat(format="csv").startswith("item,label.Airplane")
    page = labels.report(title="Pets")
    assert page.startswith(b"<!DOCTYPE html>") and b"Pets" in page and page._repr_html_().startswith("<iframe srcdoc=")
    page.save("page.html")
    assert os.path.getsize("page.html") == len(page)
    assert softlabel.schema("labels").startswith("labels: one row is")
    assert len(softlabel.pivot(labels.score(gold=TRUTH, metrics="accuracy"), digits=2)) > 20


def test_further_outputs(votes):
    kept = softlabel.ingest(votes).exclude(min_agreement=.3, report=True, verbose=False)
    labels = kept.aggregate(method="dawid-skene", confusion=True)
    assert labels.outputs["confusion"].kind == "confusion"
    assert kept.outputs["report"].kind == "annotators" and kept._made is None  # of the same run
    softlabel.exclude(votes, report="annotators.parquet", output="kept.parquet")
    assert softlabel.Table("annotators.parquet").kind == "annotators" and softlabel.Table("kept.parquet").kind == "annotations"


def test_the_same_output_of_two_stages(votes):
    once = softlabel.ingest(votes).exclude(min_agreement=.3, report=True)
    twice = once.exclude(min_agreement=.5, report=True)
    twice.to_arrow()
    assert len(once.outputs["report"]) == votes["worker"].nunique() and once._made is None  # of the same run
    assert len(twice.outputs["report"]) == len(set(once["annotator"].to_pylist()))


def test_networks(votes):
    labels = softlabel.aggregate(votes, method="auto")
    model = softlabel.train(labels, features=FEATURES, model="softmax", lr=.05, epochs=3)
    predictions = softlabel.predict(FEATURES, model=model)
    assert predictions.kind == "predictions" and predictions.to_numpy().shape == (200, 10)
    scores = predictions.score(against=labels, metrics=["accuracy", "kl"])
    assert scores["metric"].to_pylist() == ["accuracy", "kl"]
    assert labels.doubts(predictions=predictions).kind == "doubts"
    frame = softlabel.Table(FEATURES).to_arrow()
    assert digest(softlabel.predict(frame, model=model)) == digest(predictions)


# ---- how runs go ----


def counted(monkeypatch):
    """The runs from now on: how many processes each one has."""
    runs, plain = [], _table.run
    monkeypatch.setattr(_table, "run", lambda commands, *rest: runs.append([words[0] for words in commands]) or plain(commands, *rest))
    return runs


def test_one_pipeline(votes, monkeypatch):
    runs = counted(monkeypatch)
    labels = softlabel.ingest(votes).exclude().redistribute(top=2).aggregate()
    assert runs == []
    labels.to_numpy(), len(labels), labels.classes
    assert runs == [["ingest", "exclude", "redistribute", "aggregate"]]


def test_what_is_used_twice_is_kept(votes, monkeypatch):
    runs = counted(monkeypatch)
    kept = softlabel.ingest(votes).exclude()
    for method in ("counts", "majority", "dawid-skene"):
        kept.aggregate(method=method).to_arrow()
    assert runs == [["ingest", "exclude", "aggregate"], ["ingest", "exclude"], ["aggregate"], ["aggregate"]]


def test_nothing_on_disk(votes, tmp_path):
    before = set(os.listdir(tmp_path))
    scores = softlabel.score(softlabel.aggregate(votes), against=softlabel.aggregate(votes, method="auto"), metrics="kl")
    assert len(scores) == 1 and set(os.listdir(tmp_path)) == before


def test_large_tables_do_not_wait_for_each_other():
    n = 2_000_000
    frame = pa.table({"item": pa.array(np.arange(n)), "class": pa.array(np.arange(n) % 7), "note": pa.array(["x" * 20] * n)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(softlabel.ingest(frame).cat()) == n


def test_the_first_that_failed_says_why(votes):
    with pytest.raises(softlabel.Error, match=r"^softlabel ingest: standard input: there is no column 'nix'") as caught:
        softlabel.ingest(votes, column={"item": "nix"}).exclude().aggregate().to_arrow()
    assert caught.value.status == 3
    big = pd.concat([votes] * 200)
    with pytest.raises(softlabel.Error, match=r"^softlabel aggregate: --ties") as caught:  # ingest's pipe breaks
        softlabel.ingest(big).aggregate(method="dawid-skene", ties="random").to_arrow()
    with pytest.raises(softlabel.Error, match=r"^softlabel aggregate: --ties") as caught:
        softlabel.ingest(big).aggregate(method="dawid-skene", ties="random").redistribute().to_arrow()


def test_a_source_that_fails_is_no_short_table(votes):
    table = pa.Table.from_pandas(votes)

    def batches():
        yield from table.to_batches(500)[:2]
        raise ValueError("the database went away")

    with pytest.raises(ValueError, match="went away"):
        softlabel.aggregate(pa.RecordBatchReader.from_batches(table.schema, batches())).to_arrow()


def test_a_process_that_is_killed(votes):
    with pytest.raises(softlabel.Error, match="ended with status -9"):
        softlabel.aggregate(_Killing(votes)).to_arrow()


class _Killing:
    """A frame that kills the processes that read it."""

    def __init__(self, frame):
        self.table = pa.Table.from_pandas(frame)

    def __arrow_c_stream__(self, requested_schema=None):
        def batches():
            yield self.table.to_batches()[0]
            for pid in processes_below(os.getpid()):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the next stage may end by itself
                    if open(f"/proc/{pid}/comm", encoding="utf-8").read().strip() == "softlabel":
                        os.kill(int(pid), signal.SIGKILL)
            yield self.table.to_batches()[0]
        return pa.RecordBatchReader.from_batches(self.table.schema, batches()).__arrow_c_stream__(requested_schema)


def test_warnings_and_notes(votes, capsys):
    with pytest.warns(UserWarning, match="left out: 'age'") as caught:
        softlabel.ingest(votes.assign(age=3)).to_arrow()
    assert caught[0].filename == __file__
    softlabel.ingest(votes, verbose=True, quiet=False).to_arrow()
    assert "10 classes" in capsys.readouterr().err


SLOW = textwrap.dedent("""
    import sys, softlabel
    print("begun", flush=True)
    made = softlabel.simulate_crowd(items=3000000, classes=20, annotators=500, answers_per_item=5)
    try:
        made.aggregate(method="glad", iterations=1000, tolerance=0).to_arrow()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(7)
    """)


@pytest.mark.parametrize("group", [False, True])
def test_interrupt_ends_all(group):
    """As a notebook's kernel is interrupted: the signal goes to it alone, or to its processes as well."""
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True, start_new_session=True) as python:
        assert python.stdout.readline() == "begun\n"
        while len(processes_below(python.pid)) < 2:
            time.sleep(.05)
        below = processes_below(python.pid)
        time.sleep(.5)
        began = time.time()
        (os.killpg if group else os.kill)(python.pid, signal.SIGINT)
        assert python.stdout.read() == "interrupted\n" and python.wait() == 7
        assert time.time() - began < 10
        assert not any(os.path.exists(f"/proc/{pid}") for pid in below)


def test_other_threads(votes):
    made = [None] * 4

    def work(i):
        made[i] = digest(softlabel.aggregate(votes, method="auto"))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1 and made[0]


def test_no_descriptors_are_left(votes):
    softlabel.aggregate(votes).to_arrow()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        softlabel.score(softlabel.aggregate(votes), against=softlabel.aggregate(votes), metrics="kl").to_arrow()
        with pytest.raises(softlabel.Error):
            softlabel.aggregate(votes, method="no").to_arrow()
    assert len(os.listdir("/proc/self/fd")) <= before


def test_names_with_commas():
    votes = {"item": ["a", "b"], "annotator": ["x", "x"], "class": ["cat, black", "dog"]}
    labels = softlabel.ingest(votes, classes=["dog", "cat, black"]).aggregate()
    assert labels.classes == ["dog", "cat, black"]
    again = softlabel.Table(labels.to_polars(), kind="labels", classes=labels.classes)
    assert again.classes == ["dog", "cat, black"] and digest(again) == digest(labels)
    assert softlabel.Table(votes, classes=["wolf", "dog", "cat, black"]).aggregate().classes == ["wolf", "dog", "cat, black"]
    assert softlabel.Table(labels.to_arrow(), classes=["dog", "cat, black"]).classes == ["dog", "cat, black"]
    with pytest.raises(softlabel.Error, match="names its classes itself"):
        softlabel.Table(labels.to_arrow(), classes=["cat, black", "dog"]).to_arrow()
    with pytest.raises(ValueError, match="line feed"):
        softlabel.Table(votes, classes=["dog", "cat\nblack"]).to_arrow()


def test_a_message_names_the_option_and_not_a_file_that_has_gone():
    votes = {"item": ["a", "b"], "annotator": ["x", "x"], "class": ["cat", "dog"]}
    labels = softlabel.ingest(votes).aggregate()
    with pytest.raises(softlabel.Error, match="^softlabel score: against.arrows: its metadata") as found:
        softlabel.score(labels, against=votes).to_arrow()
    assert "/softlabel-" not in str(found.value)


def test_without_an_input():
    made = softlabel.simulate_crowd(items=10, classes=3, annotators=5, answers_per_item=2, seed=4)
    assert made.to_arrow().equals(made_by("softlabel simulate crowd --items 10 --classes 3 --annotators 5 --answers-per-item 2 --seed 4"))


def test_the_stub_is_true():
    top = os.path.join(os.path.dirname(os.path.abspath(softlabel.__file__)))
    made = subprocess.run([sys.executable, os.path.join(top, "..", "make-stub")], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(top, "__init__.pyi"), encoding="utf-8") as file:
        assert file.read() == made, "make it anew: python/make-stub > python/softlabel/__init__.pyi"


def test_the_tutorial():
    """What the script prints stands in the tutorial, below the commands."""
    with open(os.path.join(SAMPLES, "..", "..", "docs", "tutorial.md"), encoding="utf-8") as file:
        told = file.read()
    script = os.path.join(SAMPLES, "..", "tutorial.py")
    printed = subprocess.run([sys.executable, script, SAMPLES], capture_output=True, text=True, check=True).stdout
    for block in ("60000  w06        Airplane\n    … 1,998 more rows", "0.6019", "w35             50     0.4089   2.1798", "26 of 200 rows fit",
                  "auto      0.920 [0.874, 0.950]  0.113 [0.073, 0.174]  0.039", "network   0.94 [0.89, 0.96]  0.14 [0.10, 0.18]  0.14"):
        assert block in told and block.replace("\n    ", "\n") in printed
    for words in ("w07       50 agreement 0.0733 below 0.3", "a matrix of (200, 10)", "200 predictions", "softlabel exclude --min-agreement 0.3"):
        assert words in printed
    assert re.search("60110 +Bird +Airplane", printed)
    with open("report.html", encoding="utf-8") as file:
        page = file.read()
    assert all(f">{head}</h2>" in page for head in ("Labels", "Annotators", "Scores", "Training", "Labels that a model doubts", "Noise of labels by class"))
