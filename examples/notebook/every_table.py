# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of table in pandas, Polars and DuckDB, and a picture of each.

    python -m venv venv
    venv/bin/pip install duckdb matplotlib pandas polars pyarrow
    venv/bin/python examples/notebook/every_table.py FOLDER TABLE.parquet...

What a table is, and its classes, stands in the schema's metadata: pyarrow has it, pandas, Polars and DuckDB do without.
A picture of each table lands in FOLDER, under its name.
"""
import glob
import json
import sys
from pathlib import Path

try:
    import duckdb
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    sys.exit(f"every_table.py: {error}; pip install duckdb matplotlib pandas polars pyarrow")


# %% What it is
def about(path):
    try:
        told = pq.read_schema(path).metadata or {}
    except (OSError, pa.ArrowInvalid) as error:
        sys.exit(f"every_table.py: {path} cannot be read as Parquet: {error}")
    if b"softlabel.table" not in told:
        sys.exit(f"every_table.py: {path} is no table of softlabel's: its schema does not say of which kind it is")
    return told[b"softlabel.table"].decode(), json.loads(told.get(b"softlabel.classes", b"[]"))


# %% A picture: distributions as stacked bars, texts as counts, numbers as histograms
def plot(kind, classes, table, axes):
    wide = next((name for name in ("label", "prob") if name in table.column_names), None)
    if wide and classes and table.num_rows:
        rows = np.stack(table[wide].to_numpy(zero_copy_only=False))[:40]
        below = np.zeros(len(rows))
        for k, name in enumerate(classes):
            axes.bar(range(len(rows)), rows[:, k], bottom=below, width=1, label=name)
            below += rows[:, k]
        axes.legend(fontsize="x-small")
        axes.set(xlabel="item", ylabel=wide, ylim=(0, 1))
        return
    frame = table.to_pandas().drop(columns=["item", "annotator"], errors="ignore")
    columns = {name: pd.Series([v for value in frame[name].dropna() for v in (np.ravel(value) if np.ndim(value) else [value])]).dropna()
               for name in frame}
    numbers = [name for name, values in columns.items() if pd.api.types.is_numeric_dtype(values) and values.nunique() > 1]
    texts = [name for name, values in columns.items() if len(values) and isinstance(values.iloc[0], str)]
    if numbers:
        axes.hist(columns[numbers[0]].astype(float), bins=20)
    elif texts:
        counts = columns[texts[0]].value_counts()
        axes.barh(counts.index, counts)
    axes.set(xlabel=(numbers + texts + ["nothing to draw"])[0])


# %% All of them
if len(sys.argv) < 3:
    sys.exit("usage: every_table.py FOLDER TABLE.parquet...")
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for path in sys.argv[2:]:
    kind, classes = about(path)
    rows = {
        "pandas": len(pd.read_parquet(path)),
        "Polars": pl.read_parquet(path, glob=False).height,
        "DuckDB": duckdb.sql("select count(*) from read_parquet($path)", params={"path": glob.escape(path)}).fetchall()[0][0],
    }
    assert len(set(rows.values())) == 1, (path, rows)
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    plot(kind, classes, pq.read_table(path), axes)
    axes.set_title(f"{Path(path).stem}: {kind}, {rows['Polars']} rows")
    figure.savefig(folder / f"{Path(path).stem}.png")
    plt.close(figure)
    print(f"{kind}: {rows['Polars']} rows, {len(classes)} classes")
