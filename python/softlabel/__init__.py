# SPDX-License-Identifier: GPL-3.0-or-later
"""softlabel turns what annotators said into label distributions.

    import softlabel
    labels = softlabel.aggregate(answers, method="auto")      # a frame of pandas, Polars, DuckDB or Arrow, or files
    labels.to_numpy()                                         # items by classes
    softlabel.ingest("votes.csv").exclude().aggregate()       # one pipeline of processes, run when its table is asked for

Each verb of the program is a function here, and those that take a table are methods of Table; `softlabel describe` says which there are.
"""
from ._program import Error, description
from ._table import Bytes, Table, Text
from ._verbs import function as _function

_described = description()
__version__ = _described["version"]
__all__ = ["Bytes", "Error", "Table", "Text"]

for _verb in _described["verbs"].values():
    _made = _function(_verb)
    globals()[_made.__name__] = _made
    __all__.append(_made.__name__)
    if _verb["inputs"] in ("table", "tables") and not hasattr(Table, _made.__name__):
        setattr(Table, _made.__name__, _made)
del _described, _verb, _made
