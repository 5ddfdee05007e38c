# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of features in notebooks: tensors as pyarrow has them, and what Polars, DuckDB and pandas make of them.

    tensors.py SOFTLABEL          (in TAP)
"""

import os
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from tables import FORMATS, digest, read_arrow, report, rows_of, softlabel

N = 1000
random = np.random.default_rng(1)
PIXELS = random.integers(0, 256, (N, 3, 8, 8), dtype=np.uint8)
VECTORS = random.standard_normal((N, 24)).astype(np.float32)
ITEMS = [f"image {i}" for i in range(N)]
TOLD = ["--table", "features"]


def write(table, path, rows=77):
    if path.endswith(".parquet"):
        pq.write_table(table, path, row_group_size=rows)
        return
    opened = pa.ipc.new_file if path.endswith(".arrow") else pa.ipc.new_stream
    with pa.OSFile(path, "wb") as file, opened(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)


def tensor_table(array, **more):
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.ascontiguousarray(array))
    return pa.table({"item": ITEMS, "x": tensors, **more})


def tensors_of(table):
    return table.combine_chunks()["x"].chunk(0).to_numpy_ndarray()


def make_samples():
    gold = pa.array(["cat", "dog"] * (N // 2)).dictionary_encode()
    write(tensor_table(PIXELS, gold=gold), "from.arrows")
    write(tensor_table(VECTORS), "vectors-from.arrows")
    for extension in FORMATS:
        softlabel("cat", *TOLD, "--classes", "cat,dog", "from.arrows", "-o", f"pixels.{extension}")
        softlabel("cat", *TOLD, "vectors-from.arrows", "-o", f"vectors.{extension}")


def pyarrow_reads():
    """What comes back is an array of tensors again, with the numbers that went in."""
    for name, array in [("pixels", PIXELS), ("vectors", VECTORS)]:
        for extension in FORMATS:
            table = read_arrow(f"{name}.{extension}")
            table.validate(full=True)
            kind = table.schema.field("x").type
            assert isinstance(kind, pa.FixedShapeTensorType), kind
            assert kind.shape == list(array.shape[1:]) and kind.value_type == pa.from_numpy_dtype(array.dtype)
            assert not table.schema.field("x").nullable
            assert np.array_equal(tensors_of(table), array), f"{name}.{extension}"
            assert table["item"].to_pylist() == ITEMS
    assert read_arrow("pixels.parquet")["gold"].to_pylist()[:2] == ["cat", "dog"]


def batches():
    """About 2 MiB a batch."""
    with pa.OSFile("pixels.arrow") as file:
        reader = pa.ipc.open_file(file)
        rows = [reader.get_batch(i).num_rows for i in range(reader.num_record_batches)]
    assert rows[1:] == [0], rows  # the last one, without rows, carries the digest of all before it
    big = np.zeros((300, 3, 64, 64), np.uint8)
    items = [str(i) for i in range(300)]
    write(pa.table({"item": items, "x": pa.FixedShapeTensorArray.from_numpy_ndarray(big)}), "big.arrows")
    softlabel("cat", *TOLD, "big.arrows", "-o", "big.arrow")
    with pa.OSFile("big.arrow") as file:
        reader = pa.ipc.open_file(file)
        assert [reader.get_batch(i).num_rows for i in range(3)] == [128, 128, 44]


def taken_back(path, name, *told):
    softlabel("cat", *told, path, "-o", "back.arrows")
    assert digest("back.arrows") == digest(f"{name}.arrows"), path
    os.remove(path)


def same_id():
    """One digest for all forms."""
    for name in ["pixels", "vectors"]:
        assert len({digest(f"{name}.{extension}") for extension in FORMATS}) == 1


def same_bytes():
    """However the rows arrive, and on however many threads."""
    softlabel("cat", "-j", "1", "--no-provenance", "pixels.arrow", "-o", "one.parquet")
    for threads in ["1", "2"]:
        for extension in FORMATS:
            softlabel("cat", "-j", threads, "--no-provenance", f"pixels.{extension}", "-o", "two.parquet")
            with open("one.parquet", "rb") as one, open("two.parquet", "rb") as two:
                assert one.read() == two.read(), (threads, extension)


def pyarrow_back():
    for name in ["pixels", "vectors"]:
        for extension in FORMATS:
            table = read_arrow(f"{name}.{extension}")
            for path in ["x.parquet", "x.arrows"]:
                write(table, path)
                taken_back(path, name)


def other_storage():
    """The same numbers as lists of several kinds, and in double precision."""
    flat = VECTORS.reshape(-1)
    lists = [pa.list_(pa.float32()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 24), pa.list_(pa.float64()),
             pa.list_(pa.float64(), 24), pa.list_view(pa.float32()), pa.list_(pa.float16())]
    for kind in lists:
        numbers = flat.astype(np.float16) if kind.value_type == pa.float16() else flat
        rows = [list(row) for row in numbers.reshape(N, 24)]
        table = pa.table({"item": ITEMS, "x": pa.array(rows, kind)})
        for path in ["x.parquet", "x.arrows"]:
            if path == "x.parquet" and pa.types.is_list_view(kind):
                continue
            write(table, path)
            softlabel("cat", *TOLD, path, "-o", "back.arrows")
            found = tensors_of(read_arrow("back.arrows"))
            assert found.dtype == np.float32 and np.array_equal(found, numbers.astype(np.float32).reshape(N, 24)), kind


def permuted():
    """Images with the channels last, as NumPy views them, are put in the order in which they are seen."""
    last = np.ascontiguousarray(PIXELS.transpose(0, 2, 3, 1))
    kind = pa.fixed_shape_tensor(pa.uint8(), [8, 8, 3], permutation=[2, 0, 1])
    storage = pa.FixedSizeListArray.from_arrays(pa.array(last.reshape(-1)), 192)
    table = pa.table({"item": ITEMS, "x": pa.ExtensionArray.from_storage(kind, storage)})
    for path in ["x.parquet", "x.arrows"]:
        write(table, path)
        softlabel("cat", *TOLD, path, "-o", "back.arrows")
        back = read_arrow("back.arrows")
        assert back.schema.field("x").type == pa.fixed_shape_tensor(pa.uint8(), [3, 8, 8])
        assert np.array_equal(tensors_of(back), PIXELS)


def polars_back():
    for name in ["pixels", "vectors"]:
        frame = pl.read_parquet(f"{name}.parquet")
        told = [*TOLD, *(["--classes", "cat,dog"] if name == "pixels" else [])]
        assert len(frame) == N
        frame.write_parquet("x.parquet")
        taken_back("x.parquet", name, *told)
        frame.write_ipc_stream("x.arrows")
        taken_back("x.arrows", name, *told)
    frame = pl.DataFrame({"item": ITEMS, "x": pl.Series(VECTORS, dtype=pl.Array(pl.Float32, 24))})
    for chosen in [frame, frame.with_columns(pl.col("x").cast(pl.List(pl.Float64)))]:
        chosen.write_parquet("x.parquet")
        taken_back("x.parquet", "vectors", *TOLD)
        chosen.write_ipc_stream("x.arrows")
        taken_back("x.arrows", "vectors", *TOLD)
    images = pl.DataFrame({"item": ITEMS, "x": pl.Series(PIXELS, dtype=pl.Array(pl.UInt8, (3, 8, 8)))})
    images.write_ipc_stream("x.arrows")
    softlabel("cat", *TOLD, "x.arrows", "-o", "back.arrows")
    assert np.array_equal(tensors_of(read_arrow("back.arrows")), PIXELS)


def pandas_back():
    frame = pd.DataFrame({"item": ITEMS, "x": list(VECTORS)})
    frame.to_parquet("x.parquet")
    taken_back("x.parquet", "vectors", *TOLD)


def duckdb_back():
    rows = duckdb.sql("select item, x from 'vectors.parquet' limit 3").fetchall()
    assert rows[1][0] == ITEMS[1] and np.array_equal(np.array(rows[1][1], np.float32), VECTORS[1])
    duckdb.sql("copy (select item, x from 'vectors.parquet') to 'x.parquet'")
    taken_back("x.parquet", "vectors", *TOLD)


def as_text():
    """JSON lines have the tensor's shape; CSV has a field a number; each number reads back the same."""
    found = rows_of("pixels.parquet")
    assert np.array_equal(np.array([row["x"] for row in found], np.uint8), PIXELS)
    assert found[1]["gold"] == "dog"
    lines = softlabel("cat", "vectors.parquet", "--format", "csv").decode().splitlines()
    assert lines[0].split(",") == ["item", *(f"x.{i}" for i in range(24))]
    numbers = np.array([line.split(",")[1:] for line in lines[1:]], np.float32)
    assert np.array_equal(numbers, VECTORS)
    shown = softlabel("show", "--rows", "2", "pixels.parquet").decode()
    first = ", ".join(str(v) for v in PIXELS[0].reshape(-1)[:4])
    assert f"3x8x8: {first}" in shown.replace("×", "x"), shown


def refused():
    """What cannot be one table of tensors."""
    softlabel("cat", "pixels.arrows", "vectors.arrows", "-o", "y.arrows", status=3)
    other = softlabel("cat", "vectors.arrows", "big.arrow", *TOLD, "-o", "y.arrows", status=3)
    assert "only tensors of one shape go together" in other, other
    uneven = pa.table({"item": ["a", "b"], "x": pa.array([[1.0, 2], [3.0]])})
    write(uneven, "x.arrows")
    assert "row 2: column 'x' has 1 numbers" in softlabel("cat", *TOLD, "x.arrows", "-o", "y.arrows", status=3)
    write(uneven.slice(0, 0), "x.parquet")
    assert "has no rows" in softlabel("cat", *TOLD, "x.parquet", "-o", "y.arrows", status=3)
    holes = VECTORS.copy()
    holes[500, 3] = np.nan
    write(tensor_table(holes), "x.arrows")
    assert "row 501: number 4 of x is not a number" in softlabel("cat", *TOLD, "x.arrows", "-o", "y.arrows", status=3)
    assert not os.path.exists("y.arrows")


CHECKS = [pyarrow_reads, batches, same_id, same_bytes, pyarrow_back, other_storage, permuted, polars_back, pandas_back,
          duckdb_back, as_text, refused]

if __name__ == "__main__":
    sys.exit(report(make_samples, [(check.__name__.replace("_", " "), check) for check in CHECKS]))
