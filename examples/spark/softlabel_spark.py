# SPDX-License-Identifier: GPL-3.0-or-later
"""softlabel on Spark: stages that work row by row on each partition, and Dawid-Skene over all of them.

    from softlabel_spark import read, stage, dawid_skene
    answers = read(spark, "answers.parquet")
    labels = stage("redistribute --top 2")(answers)
    labels = dawid_skene(votes, rounds=20)

One process of softlabel a partition, Arrow in and out; the workers must have it (SOFTLABEL, or on the PATH). A process that fails ends
its task with the line that it said. What a table is stands in its schema's metadata, which Spark drops: here it is kept in the metadata
of the first column, which Spark keeps.
"""
import contextlib
import json
import os
import shlex
import subprocess
import tempfile
import threading

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

KEY = "softlabel"


def _program():
    return os.environ.get("SOFTLABEL", "softlabel")


def _plain_type(kind):
    """KIND as Spark has it: no dictionaries, no lists of a fixed length."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if isinstance(kind, pa.BaseExtensionType):
        return _plain_type(kind.storage_type)
    if pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _plain_type(field.type)) for field in kind])
    return kind


def _plain(schema):
    return pa.schema([(field.name, _plain_type(field.type)) for field in schema])


def _feed(stream, schema, batches, problems):
    try:
        with stream, pa.ipc.new_stream(stream, schema) as writer:
            for batch in batches:
                writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
    except (OSError, pa.ArrowInvalid) as problem:  # a process that has ended says why itself
        problems.append(problem)


def run(words, schema, batches):
    """The schema, and then the batches, that softlabel makes of BATCHES of SCHEMA."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([_program(), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
        problems = []
        feeder = threading.Thread(target=_feed, args=(process.stdin, schema, batches, problems), daemon=True)
        feeder.start()
        problem = None
        try:
            reader = pa.ipc.open_stream(process.stdout)
            yield reader.schema
            yield from reader
        except pa.ArrowInvalid as error:
            problem = error
        process.stdout.close()
        status = process.wait()
        feeder.join()
        if status != 0 or problem or problems:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
            raise RuntimeError(lines[-1] if lines else f"softlabel {shlex.join(words)}: {problem or problems or status}")


def _told(frame, kind=None, classes=None):
    """What FRAME's table is, as metadata of an Arrow schema."""
    if kind:
        return {"softlabel.table": kind, "softlabel.classes": json.dumps(list(classes or []))}
    for field in frame.schema.fields:
        if KEY in field.metadata:
            return json.loads(field.metadata[KEY])
    raise ValueError("the frame does not say what table it is: read it by softlabel_spark.read(), or give kind and classes")


def _tell(frame, told):
    first = frame.columns[0]
    return frame.withMetadata(first, {KEY: json.dumps(told)})


def read(spark, path):
    """The frame of a table in Parquet, a file or a folder, that says what it is."""
    files = [path] if os.path.isfile(path) else sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith(".parquet"))
    told = pq.read_schema(files[0]).metadata
    return _tell(spark.read.parquet(path), {k.decode(): v.decode() for k, v in told.items() if k.startswith(b"softlabel.")})


@contextlib.contextmanager
def _named(words, files):
    """WORDS where each @NAME is a file's path; the file has the bytes FILES[NAME], as long as this lasts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {f"@{name}": os.path.join(folder, name) for name in files or {}}
        for name, content in (files or {}).items():
            with open(paths[f"@{name}"], "wb") as out:
                out.write(content)
        yield [paths.get(word, word) for word in words]


def _each(words, schema, files=None):
    """For mapInArrow: what softlabel makes of one partition. FILES: of options, as _named() has them."""

    def make(batches):
        batches = iter(batches)
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return

        def all_batches():
            yield first
            yield from batches

        with _named(words, files) as here:
            made = run(here, schema, all_batches())
            plain = _plain(next(made))
            for batch in made:
                table = pa.Table.from_batches([batch]).cast(plain)
                yield from table.to_batches()

    return make


def _apply(words, frame, told, by=None, files=None):
    schema = to_arrow_schema(frame.schema).with_metadata(told)
    with _named(words, files) as here:
        made = next(run(here, schema, []))  # of no rows: what comes out
    after = from_arrow_schema(_plain(made))
    each = _each(words, schema, files)
    if by:
        frame = frame.groupBy(by).applyInArrow(
            lambda group: pa.Table.from_batches(list(each(group.to_batches())), schema=_plain(made)), after)
    else:
        frame = frame.mapInArrow(each, after)
    return _tell(frame, {k.decode(): v.decode() for k, v in made.metadata.items()})


def stage(command, kind=None, classes=None, by=None):
    """The stage COMMAND ("redistribute --top 2") as a function from a frame to a frame, for each partition, or for each group of BY.
    A stage that looks at all answers to an item needs them in one partition: df.repartition("item")."""
    words = shlex.split(command)
    return lambda frame: _apply(words, frame, _told(frame, kind, classes), by)


def _parquet(words, table):
    """What softlabel makes of TABLE on the driver, as the bytes of a file."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.parquet")
        made = list(run(words, table.schema, table.to_batches()))
        with pq.ParquetWriter(out, made[0]) as writer:
            for batch in made[1:]:
                writer.write_batch(batch)
        with open(out, "rb") as file:
            return file.read()


def dawid_skene(frame, rounds=20, kind=None, classes=None):
    """Labels by Dawid and Skene's model after ROUNDS rounds of EM: sums of each partition (--partial), put together on the driver
    (--merge). All answers to an item are brought into one partition."""
    told = _told(frame, kind, classes)
    frame = frame.repartition("item").persist()
    words, files = ["aggregate", "--method", "dawid-skene"], {}
    try:
        for _ in range(rounds):
            sums = _apply([*words, "--partial", *(["--init", "@theta"] if files else [])], frame, told, files=files)
            schema = to_arrow_schema(sums.schema).with_metadata(_told(sums))
            files = {"theta": _parquet(["aggregate", "--merge"], sums.toArrow().cast(schema))}
        return _apply([*words, "--init", "@theta", "--frozen"], frame, told, files=files)
    finally:
        frame.unpersist()
