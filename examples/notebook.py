# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft labels in a notebook: which items are people least sure of?

    python examples/notebook.py build/demo/labels.parquet
"""
import json
import sys

import numpy as np
import pyarrow.parquet as pq

table = pq.read_table(sys.argv[1])
classes = json.loads(table.schema.metadata[b"softlabel.classes"])
labels = np.stack(table["label"].to_numpy(zero_copy_only=False))
entropy = -np.sum(labels * np.log(np.where(labels > 0, labels, 1)), axis=1)

frame = table.select(["item", "weight"]).to_pandas()
frame["entropy"] = entropy.round(3)
frame["first"] = np.array(classes)[labels.argmax(axis=1)]
print(frame.sort_values("entropy", ascending=False, kind="stable").head(5).to_string(index=False))
