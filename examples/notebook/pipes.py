# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage between two lines of a notebook: an Arrow table in, an Arrow table out.

    python examples/notebook/pipes.py votes.parquet
"""
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq


def softlabel(command, table):
    given = pa.BufferOutputStream()
    with pa.ipc.new_stream(given, table.schema) as writer:
        writer.write_table(table)
    done = subprocess.run(["softlabel", *command.split()], input=given.getvalue(), capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip())
    return pa.ipc.open_stream(done.stdout).read_all()


labels = softlabel("aggregate --method dawid-skene", pq.read_table(sys.argv[1]))
print(labels.to_pandas().head(3).to_string())
