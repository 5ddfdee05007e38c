#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes embeddings.parquet and pixels.parquet: for each item of truth.csv 12 numbers, and an image of 3x4x4 bytes, drawn about a
centre of its class, as a model of text or images, or a camera, would give them.

    embed.py TRUTH.csv FOLDER"""
import csv
import json
import sys

import numpy
import pyarrow
import pyarrow.parquet

rng = numpy.random.default_rng(20)
with open(sys.argv[1], newline='', encoding='utf-8') as file:
    rows = list(csv.DictReader(file))
classes = sorted({row['truth'] for row in rows})
gold = numpy.array([classes.index(row['truth']) for row in rows], dtype=numpy.int32)


def write(name, x):
    table = pyarrow.table({
        'item': [row['item'] for row in rows],
        'x': pyarrow.FixedShapeTensorArray.from_numpy_ndarray(numpy.ascontiguousarray(x)),
        'gold': pyarrow.DictionaryArray.from_arrays(pyarrow.array(gold), classes),
    }).replace_schema_metadata({'softlabel.table': 'features', 'softlabel.classes': json.dumps(classes)})
    pyarrow.parquet.write_table(table, f'{sys.argv[2]}/{name}.parquet')


centres = rng.normal(size=(len(classes), 12))
write('embeddings', (centres[gold] + 0.7 * rng.normal(size=(len(rows), 12))).astype(numpy.float32))
patterns = rng.uniform(40, 215, size=(len(classes), 3, 4, 4))
images = patterns[gold] + 30 * rng.normal(size=(len(rows), 3, 4, 4))
write('pixels', numpy.clip(numpy.rint(images), 0, 255).astype(numpy.uint8))
