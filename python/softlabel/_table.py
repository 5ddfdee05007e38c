# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that know their kind and classes, and that are made when somebody asks for what is in them."""
import json
import os
import typing
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.ipc

from . import _html
from ._program import Error
from ._run import Room, run, write_arrow

KIND, CLASSES, TAGS = b"softlabel.table", b"softlabel.classes", b"softlabel.tags"
VALUES = b"softlabel.values"
STREAM = b"\xff\xff\xff\xff"  # what a stream of Arrow begins with


class Text(str):
    """What a stage prints, shown as it is."""

    __repr__ = str.__str__


class Bytes(bytes):
    """What a stage makes that is no table: a model, a page. A later stage takes it as it is."""

    def save(self, path) -> None:
        """Writes it to the file PATH."""
        with open(path, "wb") as file:
            file.write(self)

    def __repr__(self) -> str:
        return f"<{len(self)} bytes>"

    def _repr_html_(self):
        return _html.frame(self.decode()) if self.startswith(b"<!DOCTYPE html>") else None


def is_path(data):
    return isinstance(data, (str, os.PathLike))


COLUMNS = ("Series", "ChunkedArray")  # of pandas, Polars and Arrow: each has a stream, of no table


def to_arrow(data):
    """DATA as a table of Arrow, or as something that gives batches one after the other."""
    if isinstance(data, (pa.Table, pa.RecordBatchReader)):
        return data
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns"):
        return pa.Table.from_pandas(data, preserve_index=all(data.index.names))
    if isinstance(data, (pa.RecordBatch, Mapping)):
        return pa.table(data)
    if hasattr(data, "__arrow_c_stream__") and type(data).__name__ not in COLUMNS:
        return pa.RecordBatchReader.from_stream(data)
    raise TypeError(f"{type(data).__name__} is no table: a frame of pandas, Polars, DuckDB or Arrow is wanted, columns by name, or a file's path")


def schema_of(path):
    """The schema of the file PATH, or of the first one in a folder; None where it is no Parquet and no Arrow."""
    if os.path.isdir(path):
        files = sorted(name for name in os.listdir(path) if name[0] not in "._")
        return schema_of(os.path.join(path, files[0])) if files else None
    with open(path, "rb") as file:
        start = file.read(6)
        file.seek(0)
        try:
            if start.startswith(b"PAR1"):
                import pyarrow.parquet
                return pyarrow.parquet.read_schema(file)
            if start == b"ARROW1":
                return pa.ipc.open_file(file).schema
            if start.startswith(STREAM):
                return pa.ipc.open_stream(file).schema
        except pa.ArrowInvalid:
            pass  # the stage that reads it says what is wrong
    return None


class Source:
    """What a pipeline begins with: files, or one thing that lies in memory."""

    def __init__(self, data):
        listed = isinstance(data, (list, tuple)) and len(data) > 0
        if listed and not all(map(is_path, data)):
            raise TypeError("of several tables each is a file's path: softlabel.cat() joins frames")
        paths = data if listed else [data] if is_path(data) else []
        self.paths = [os.fspath(path) for path in paths]
        self.data = None if paths else data
        self.read = False

    def schema(self):
        """Of files the first one's; None where it is no Parquet and no Arrow, or where it cannot say what table it is."""
        found = schema_of(self.paths[0]) if self.paths else getattr(self.data, "schema", None)
        return found if isinstance(found, pa.Schema) else None

    def batches(self):
        """What goes into a pipe, a table, or batches one after the other, with a schema; None of files."""
        if self.paths:
            return None
        if self.read and isinstance(self.data, pa.RecordBatchReader):
            raise Error("what comes by a RecordBatchReader has been read already: keep it as a table, by its read_all()")
        self.read = True
        source = to_arrow(self.data)
        return source.unify_dictionaries() if isinstance(source, pa.Table) else source


class Memory:
    """A word of a command line that names a file, and the file lies in memory: PREFIX and its path."""

    def __init__(self, prefix, stem, data):
        self.prefix, self.stem, self.data = prefix, stem, data

    def place(self, room):
        """The word; the file is there as long as ROOM is."""
        data = self.data
        if isinstance(data, Table) and data._is_file():
            return self.prefix + data._before.paths[0]
        if isinstance(data, bytes):
            extension, write = "", lambda file: file.write(data)
        elif isinstance(data, (list, tuple)):
            broken = next((line for line in data if "\n" in str(line)), None)
            if broken is not None:
                raise ValueError(f"{self.prefix}{broken!r} has a line feed: a line names one")
            extension, write = ".txt", lambda file: file.writelines(f"{line}\n".encode() for line in data)
        elif hasattr(data, "__array_interface__"):
            import numpy
            extension, write = ".npy", lambda file: numpy.save(file, data)
        else:
            source = Source(data.to_arrow() if isinstance(data, Table) else data).batches()
            extension, write = ".arrows", lambda file: write_arrow(file, source)
        return self.prefix + room.put(self.stem, extension, write)


class Output:
    """A word that names a file, which becomes the output NAME of its stage's table."""

    def __init__(self, prefix, name):
        self.prefix, self.name, self.path = prefix, name, None

    def place(self, room):
        """The word; what the stage writes goes with ROOM, if nobody reads it before."""
        self.path = room.name(self.name)
        return self.prefix + self.path

    def read(self):
        """What the stage has written."""
        with open(self.path, "rb") as file:
            content = file.read()
        return Table(pa.ipc.open_stream(content).read_all()) if content.startswith(STREAM) else Text(content.decode())


# By which format a frame, or a file that is no table of softlabel's, is taken in where a table of the kind is wanted.
FORMATS = {"labels": "labels", "predictions": "predictions", "features": "table"}


class Table:
    """A table of softlabel's. `Table(data)` is one of a file, several files, or a frame of another program, which is taken in as
    `ingest` does it, with CLASSES in their order; with KIND, and CLASSES, a frame that is such a table already and has forgotten it. What a
    stage makes is a table as well, and is made when somebody asks for it: stages that follow each other run at once, joined by pipes."""

    def __init__(self, data, kind=None, classes=None, *, wanted=()):
        source = Source(data)
        self._begin(source, None)
        named = [Memory("--classes-from=", "classes", list(classes))] if classes else []
        if kind is not None:
            self._words = ["cat", f"--table={kind}", *named]
            return
        schema = source.schema()
        if schema is not None and KIND in (schema.metadata or {}):
            self._made = data if isinstance(data, pa.Table) and not named else None
            self._words = ["cat", *named] if named else None
            return
        forms = [FORMATS[name] for name in wanted if name in FORMATS and "annotations" not in wanted]
        self._words = ["ingest", "--from=" + (forms[0] if forms else "auto" if source.paths else "long"), *named]

    # ---- how it is made ----

    def _begin(self, before, words):
        self._before, self._words, self._made, self._outputs, self._users = before, words, None, {}, 0
        if isinstance(before, Table):
            before._users += 1

    @classmethod
    def stage(cls, before, words):
        """What the stage WORDS makes of BEFORE, a table, a source or None. A table that already says what it is has no WORDS."""
        made = cls.__new__(cls)
        made._begin(before, words)
        return made

    def _is_file(self):
        """Whether it is what lies in one file."""
        return self._made is None and self._words is None and len(self._before.paths) == 1

    def _run(self, take):
        """Runs the stages that lead here; returns what TAKE makes of the bytes that the last one writes. A table that several stages
        read is made on the way, and kept."""
        stages, source = [self], self._before
        while isinstance(source, Table):
            if source._words is not None and source._users > 1:
                source.to_arrow()
            if source._made is not None:
                source = Source(source._made)
            else:
                stages[:0] = [source] if source._words is not None else []
                source = source._before
        with Room() as room:
            commands = []
            for table in stages:
                words = [word if isinstance(word, str) else word.place(room) for word in table._words]
                commands.append([*words[0].split(), "--progress", *words[1:]])
            commands[0] += source.paths if source else []
            taken = run(commands, take, source.batches() if source else None, room)
            for table in stages:
                table._outputs = {word.name: word.read() for word in table._words if isinstance(word, Output)}
        return taken

    def to_arrow(self) -> pa.Table:
        """The table as pyarrow has it; it is made now, and kept."""
        if self._made is None:
            self._made = (self if self._words is not None else Table.stage(self, ["cat"]))._run(take_table)
        return self._made

    # ---- what it is ----

    @property
    def schema(self) -> pa.Schema:
        """Arrow's schema; its metadata say what softlabel knows of the table."""
        return self._before.schema() if self._is_file() else self.to_arrow().schema

    def _fact(self, key):
        value = (self.schema.metadata or {}).get(key)
        return value.decode() if value is not None else None

    @property
    def kind(self) -> str:
        """The kind of table: annotations, labels, ..."""
        return self._fact(KIND)

    @property
    def classes(self) -> typing.List[str]:
        """The classes, in the order of every distribution."""
        return json.loads(self._fact(CLASSES) or "[]")

    @property
    def class_values(self) -> typing.Optional[typing.List[float]]:
        """What each class stands for, where the classes are ordered; else None."""
        return json.loads(self._fact(VALUES) or "null")

    @property
    def tags(self) -> typing.Dict[str, str]:
        """The conditions that the table was made under."""
        return json.loads(self._fact(TAGS) or "{}")

    @property
    def history(self) -> Text:
        """The pipeline that made the table."""
        self.to_arrow()
        return Table.stage(self, ["history"])._run(take_text)

    @property
    def outputs(self) -> typing.Dict[str, typing.Any]:
        """What the stage wrote besides, by the option that was True: `exclude(answers, report=True).outputs["report"]`."""
        if not self._outputs:
            self.to_arrow()
        return self._outputs

    @property
    def column_names(self) -> typing.List[str]:
        """The names of the columns."""
        return self.schema.names

    def __len__(self) -> int:
        return self.to_arrow().num_rows

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        return self.to_arrow()[name]

    def __arrow_c_stream__(self, requested_schema=None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self, **options):
        """A frame of pandas; the options are those of pyarrow.Table.to_pandas()."""
        return self.to_arrow().to_pandas(**options)

    def to_polars(self):
        """A frame of Polars."""
        import polars
        return polars.from_arrow(self.to_arrow())

    def to_numpy(self):
        """Labels, or what a model predicts, as a matrix, items by classes; of features their tensors."""
        table = self.to_arrow()
        name = next((name for name in ("label", "prob", "x") if name in table.column_names), None)
        if name is None:
            raise Error(f"{self.kind} have no matrix: to_numpy() is of labels, predictions and features")
        column = table[name].combine_chunks()
        if isinstance(column, pa.ExtensionArray):
            return column.to_numpy_ndarray()
        return column.flatten().to_numpy(zero_copy_only=False).reshape(-1, column.type.list_size)

    # ---- how it looks ----

    def __repr__(self) -> str:
        self.to_arrow()
        return str(Table.stage(self, ["show", "--rows=10"])._run(take_text)).rstrip()

    def _repr_html_(self) -> typing.Optional[str]:
        try:
            self.to_arrow()
        except Error:
            return None  # a notebook asks for both, and repr() says it
        return _html.table(self)


def take_table(pipe):
    """For run(): the table that comes by PIPE."""
    return pa.ipc.open_stream(pipe).read_all()


def take_text(pipe):
    """For run(): the text that comes by PIPE."""
    return Text(pipe.read().decode())


def take_bytes(pipe):
    """For run(): the bytes that come by PIPE."""
    return Bytes(pipe.read())
