# SPDX-License-Identifier: GPL-3.0-or-later
"""softlabel on Spark: stages that work row by row on each partition, and whole crowds over all of them.

    from softlabel.spark import aggregate, read, redistribute, stage
    answers = read(spark, "answers.parquet")
    labels = redistribute(answers, top=2)                 # or stage("redistribute --top 2")(answers)
    labels = aggregate(answers, method="dawid-skene", rounds=20)

One process of softlabel a partition, Arrow in and out; the workers must have the package and the program. A process that fails ends
its task with the line that it said. What a table is stands in its schema's metadata, which Spark drops: here it is kept in the metadata
of the first column, which Spark keeps.
"""
import itertools
import json
import os
import shlex
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from ._program import description
from ._run import ROWS, Room, run
from ._table import CLASSES, KIND, Memory, take_table
from ._verbs import document, option_words, python_name

KEY = "softlabel"
COLUMNS = ("item", "annotator", "class", "count")
DIVISIONS = 4  # of the answers, for each partition
PACKED = pa.schema([("division", pa.int32()), ("answers", pa.binary())])


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


def _made(words, source):
    """What softlabel makes of SOURCE, a table or batches with a schema. A word may be one of Memory."""
    with Room() as room:
        return run([[word if isinstance(word, str) else word.place(room) for word in words]], take_table, source, room)


def _told(frame, kind=None, classes=None):
    """What FRAME's table is, as metadata of an Arrow schema."""
    if kind:
        return {KIND.decode(): kind, CLASSES.decode(): json.dumps(list(classes or []))}
    for field in frame.schema.fields:
        if KEY in field.metadata:
            return json.loads(field.metadata[KEY])
    raise ValueError("the frame does not say what table it is: read it by softlabel.spark.read(), or give kind and classes")


def _tell(frame, told):
    return frame.withMetadata(frame.columns[0], {KEY: json.dumps(told)})


def _metadata(schema):
    return {key.decode(): value.decode() for key, value in (schema.metadata or {}).items() if key.startswith(b"softlabel.")}


def _files(path):
    return [path] if os.path.isfile(path) else sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".parquet"))


def read(spark, path):
    """The frame of a table in Parquet, a file or a folder, that says what it is."""
    return _tell(spark.read.parquet(path), _metadata(pq.read_schema(_files(path)[0])))


def _each(words, schema):
    """For mapInArrow: what softlabel makes of one partition."""

    def make(batches):
        batches = iter(batches)
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return

        def all_batches():
            for batch in (first, *batches):
                yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)

        made = _made(words, pa.RecordBatchReader.from_batches(schema, all_batches()))
        yield from made.cast(_plain(made.schema)).to_batches()

    return make


def _apply(words, frame, told, by=None):
    schema = to_arrow_schema(frame.schema).with_metadata(told)
    made = _made(words, schema.empty_table()).schema  # of no rows: what comes out
    plain, each = _plain(made), _each(words, schema)
    after = from_arrow_schema(plain)
    if by:
        frame = frame.groupBy(by).applyInArrow(lambda group: pa.Table.from_batches(list(each(group.to_batches())), schema=plain), after)
    else:
        frame = frame.mapInArrow(each, after)
    return _tell(frame, _metadata(made))


def stage(command, kind=None, classes=None, by=None):
    """The stage COMMAND ("redistribute --top 2") as a function from a frame to a frame, for each partition, or for each group of BY.
    A stage that looks at all answers to an item needs them in one partition: df.repartition("item")."""
    words = shlex.split(command)
    return lambda frame: _apply(words, frame, _told(frame, kind, classes), by)


def __getattr__(name):
    """The verbs that read a table and write one, as functions of a frame: `spark.redistribute(answers, top=2)`, as stage() has it."""
    verb = next((verb for verb in description()["verbs"].values() if python_name(verb["name"]) == name), None)
    if verb is None or verb["inputs"] != "table" or verb["output"] != "table":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    known = {python_name(option["name"]): option for option in verb["options"]}

    def each(frame, kind=None, classes=None, by=None, **options):
        words = [*verb["name"].split(), *(word for key, value in options.items() for word in option_words(known[key], value))]
        return _apply(words, frame, _told(frame, kind, classes), by)

    each.__name__, each.__doc__ = name, document(verb)
    return each


# ---- a whole crowd ----


def _pack(table, told, divisions):
    """TABLE's answers, those to an item in one division: for each division a file of Parquet as bytes, a tenth of what Arrow takes."""
    runs = pc.run_end_encode(table["item"].combine_chunks())  # answers to an item often stand together
    names = runs.values.cast(pa.binary())
    each = itertools.chain.from_iterable(map(zlib.crc32, names.slice(at, ROWS).to_pylist()) for at in range(0, len(names), ROWS))
    place = np.fromiter(each, np.uint32, len(names)) % divisions
    place = place.astype(np.uint16 if divisions <= 1 << 16 else np.uint32)  # NumPy sorts 16 bits faster
    division = np.repeat(place, np.diff(runs.run_ends.to_numpy(), prepend=0))
    table = table.replace_schema_metadata(told).unify_dictionaries().take(np.argsort(division, kind="stable"))
    bounds = np.concatenate([[0], np.cumsum(np.bincount(division, minlength=divisions))])
    for number in range(divisions):
        part = table.slice(bounds[number], bounds[number + 1] - bounds[number])
        if len(part):
            sink = pa.BufferOutputStream()
            pq.write_table(part, sink, compression="snappy", write_statistics=False, use_dictionary=["annotator", "class"])
            yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), pa.array([sink.getvalue().to_pybytes()], pa.binary())], schema=PACKED)


def _packer(told, divisions, groups=None):
    """For mapInArrow: packs the answers that come, or those of the row groups of GROUPS whose numbers come."""

    def read(path, numbers):
        file = pq.ParquetFile(path, read_dictionary=["annotator"])
        wanted = [name for name in file.schema_arrow.names if name in COLUMNS]
        return file.read_row_groups(numbers, columns=wanted, use_threads=False)

    def make(batches):
        batches = [batch for batch in batches if batch.num_rows]
        if groups is not None:
            mine = sorted(groups[number] for batch in batches for number in batch.column(0).to_pylist())
            batches = [read(path, [group for _, group in each]) for path, each in itertools.groupby(mine, lambda group: group[0])]
        if batches:
            table = pa.concat_tables(batches) if groups is not None else pa.Table.from_batches(batches)
            yield from _pack(table, told, divisions)

    return make


def _of_packed(words, packed, like):
    """The frame that softlabel makes of each partition of PACKED; LIKE: a schema of the answers."""
    made = _made(words, like.empty_table()).schema
    plain = _plain(made)

    def make(batches):
        files = [Memory("", "answers", content.as_py()) for batch in batches for content in batch.column(1)]
        if files:
            yield from _made([*words, *files], None).cast(plain).to_batches()

    return _tell(packed.mapInArrow(make, from_arrow_schema(plain)), _metadata(made))


def aggregate(answers, method="dawid-skene", rounds=20, kind=None, classes=None, spark=None):
    """Labels by METHOD after ROUNDS rounds of EM (of zencrowd, whose round begins with labels, one more; glad wants 60): sums of each partition
    (--partial), put together on the driver (--merge). ANSWERS: a frame, or the name of a file of Parquet or a folder, with SPARK, which
    the workers then read themselves. Answers come to Python once; there they are divided by items and packed as Parquet, and each round
    hands the program those bytes from Spark's cache, as do the labels when an action asks for them: `spark.catalog.clearCache()` frees it."""
    spark = spark or answers.sparkSession
    parts = int(spark.conf.get("spark.sql.shuffle.partitions"))
    if isinstance(answers, (str, os.PathLike)):
        groups = [(file, group) for file in _files(os.path.abspath(answers)) for group in range(pq.read_metadata(file).num_row_groups)]
        told = _metadata(pq.read_schema(groups[0][0]))
        rows = spark.range(0, len(groups), 1, min(parts, len(groups)))
    else:
        groups, told = None, _told(answers, kind, classes)
        rows = answers.select([name for name in answers.columns if name in COLUMNS])
    packed = rows.mapInArrow(_packer(told, DIVISIONS * parts, groups), from_arrow_schema(PACKED)).repartition(parts, "division").persist()
    words, init = ["aggregate", "-q", "--no-provenance", "--method", method], []
    like = pa.schema([(name, pa.string()) for name in ("item", "annotator", "class")], metadata=told)
    for _ in range(rounds):
        sums = _of_packed([*words, "--partial", *init], packed, like)
        table = sums.toArrow().cast(to_arrow_schema(sums.schema).with_metadata(_told(sums)))
        init = [Memory("--init=", "theta", _made(["aggregate", "--no-provenance", "--merge"], table))]
    return _of_packed([*words, *init, "--frozen"], packed, like)
