# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs as functions: names, signatures and documents are what `softlabel describe` says."""
import difflib
import inspect
import keyword
import os
import pathlib
import textwrap
import typing
from collections.abc import Mapping

from ._table import Bytes, Memory, Output, Source, Table, Text, is_path, take_bytes, take_text

# The types of options' values, and of what verbs make, as a stub has them too. Any: a Table, a frame, or a file's path.
TYPES = {"flag": "bool", "integer": "int", "real": "float", "size": "Union[int, str]", "text": "Any", "texts": "Any", "input": "Any", "inputs": "Any",
         "output": "Union[str, PathLike, bool]", "folder": "Union[str, PathLike]"}
MADE = {"table": "Table", "text": "Text", "bytes": "Bytes", "folder": "Path"}
NAMES = {**vars(typing), "PathLike": os.PathLike, "Path": pathlib.Path, "Table": Table, "Text": Text, "Bytes": Bytes}


def python_name(name):
    """NAME as Python has names: `from` is `from_`, `simulate fit` is `simulate_fit`."""
    name = name.replace("-", "_").replace(" ", "_")
    return name + "_" if keyword.iskeyword(name) else name


def annotation(option):
    """The type of an option's value, in words of Python."""
    if option["type"] == "choice":
        names = [choice["name"] for choice in option["choices"]]
        return f"Literal[{', '.join([*map(repr, names), *filter(str.isdigit, names)])}]"  # top=2 as well as top="2"
    return TYPES[option["type"]]


def initial(option):
    """The value of an option that is not given; None where the stage finds one itself, or there is none."""
    return option.get("default") or None if option["type"] in ("texts", "inputs") else option.get("default")


def signature(verb):
    """What the verb's function takes: tables or files, then its options by name."""
    data = inspect.Parameter("data", inspect.Parameter.VAR_POSITIONAL, annotation=str if verb["inputs"] == "words" else typing.Any)
    options = [inspect.Parameter(python_name(option["name"]), inspect.Parameter.KEYWORD_ONLY, default=initial(option),
                                 annotation=eval(annotation(option), NAMES))  # pylint: disable=eval-used
               for option in verb["options"]]
    return inspect.Signature([data, *options], return_annotation=NAMES[MADE[verb["output"]]])


def _limits(option):
    if "minimum" in option and option["type"] in ("integer", "real"):
        most = f" to {option['maximum']:g}" if "maximum" in option else " or more"
        return f" ({option['minimum']:g}{most})"
    return " (several: a list)" if option["type"] in ("texts", "inputs") else ""


def document(verb):
    """The verb's document: what it does, then its options."""
    fill = lambda text, indent: textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent)
    parts = [verb["summary"][0].upper() + verb["summary"][1:] + "."]
    reads, writes = ", ".join(verb["reads"]), ", ".join(verb["writes"])
    if reads or writes:
        parts.append(" ".join(([f"Takes {reads}."] if reads else []) + ([f"Makes {writes}."] if writes else [])))
    parts += [fill(paragraph, "") for paragraph in verb["description"].split("\n") if paragraph]
    lines = []
    for option in verb["options"]:
        scope = f"; {option['scope']}" if "scope" in option else ""
        lines += [python_name(option["name"]), fill(option["help"] + _limits(option) + scope, "    ")]
        lines += [fill(f"{choice['name']}: {choice['meaning']}", "        ") for choice in option.get("choices", []) if "meaning" in choice]
    return "\n\n".join(parts) + "\n\nParameters\n----------\n" + "\n".join(lines) + "\n"


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(_text(each) for each in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _plain(value, kind):
    """A column of pandas, Polars or Arrow as a list, a number of NumPy's as Python's. Tables stay, and arrays of numbers where a file is
    wanted; where several files are a list is one of these."""
    is_numbers = hasattr(value, "__array_interface__") and value.dtype.kind in "biuf"
    if hasattr(value, "columns") or (getattr(value, "ndim", 0) > 0 and (kind == "inputs" or (kind == "input" and is_numbers))):
        return value
    listed = next((getattr(value, name) for name in ("tolist", "to_list", "to_pylist") if hasattr(value, name)), None)
    return listed() if listed else value


def _has_commas(value):
    """Whether the texts of a list are no list of words joined by commas: a file has them, a line each."""
    return isinstance(value, (list, tuple)) and any("," in str(each) for each in value)


def option_words(option, value):
    """The words that give OPTION the value VALUE: none for what is not given."""
    flag, kind = "--" + option["name"], option["type"]
    value = _plain(value, kind)
    if value is None or value is False:
        return []
    if kind == "output" and value is True:
        return [Output(flag + "=", option["name"])]
    if value is True and (kind == "flag" or "by_itself" in option):
        return [flag]
    if kind == "flag":
        raise TypeError(f"{python_name(option['name'])} is True or False")
    if kind == "texts" and isinstance(value, Mapping):
        value = [f"{key}={_text(each)}" for key, each in value.items()]
    if kind in ("texts", "inputs") and isinstance(value, (list, tuple)):
        return [word for each in value for word in option_words(option, each)]
    is_text = is_path(value) or isinstance(value, (int, float)) or (isinstance(value, (list, tuple, Mapping)) and kind != "input")
    return [f"{flag}={_text(value)}"] if is_text else [Memory(flag + "=", option["name"], value)]


def _inputs(verb, data):
    """What goes by the pipe (or None), and the words that name all else."""
    if verb["inputs"] == "words":
        words = [word for each in data for word in (each if isinstance(each, list) else [each])]
        for word in words:
            if not is_path(word):
                raise TypeError(f"{python_name(verb['name'])}() takes names, or files' paths, and {type(word).__name__} is none")
        return None, [os.fspath(word) for word in words]
    if verb["inputs"] == "table" and len(data) > 1:
        data = [list(data)]
    if verb["inputs"] == "files":
        tables = [one if is_path(one) else Source(one) for each in data for one in (each if isinstance(each, list) else [each])]
    else:
        tables = [each if isinstance(each, Table) else Table(each, wanted=verb["reads"]) for each in data]
    if len(tables) == 1 and not is_path(tables[0]):
        return tables[0], []
    return None, [os.fspath(one) if is_path(one) else Memory("", getattr(one, "kind", None) or "table", getattr(one, "data", one)) for one in tables]


def call(verb, data, options):
    """Runs VERB, or makes the table that is run when it is asked for."""
    known = {python_name(option["name"]): option for option in verb["options"]}
    if not data and verb["inputs"] != "words" and options.get(python_name(verb.get("instead_of_input", ""))) is None:
        raise TypeError(f"{python_name(verb['name'])}() is given no table: a frame, or a file's path")
    if verb["name"] == "ingest" and options.get("from_") is None:
        by_pipe = all(not is_path(each) and not isinstance(each, list) and not hasattr(each, "__array_interface__") for each in data)
        options = {"from_": "long" if by_pipe else "auto", **{name: value for name, value in options.items() if name != "from_"}}
    for name in [name for name, value in options.items() if f"{name}_from" in known and _has_commas(_plain(value, "texts"))]:
        options = {**options, f"{name}_from": options[name], name: None}
    words = [verb["name"], *(word for name, value in options.items() for word in option_words(known[name], value))]
    before, more = _inputs(verb, data)
    if verb["name"] == "ingest" and before is not None and options["from_"] != "long":
        before, more = None, [Memory("", "table", before.data)]
    made = Table.stage(before, words + more)
    printed = any(options.get(python_name(name)) for name in verb.get("prints_with", "").split("|"))
    as_text = printed or options.get("format", "auto") not in ("auto", "arrows")
    output = options.get("output")
    if verb["output"] == "table" and output is None and not as_text:
        return made
    if isinstance(before, Table) and output is None:
        before.to_arrow()  # who prints a table goes on to use it
    written = made._run(take_text if verb["output"] == "text" or printed else take_bytes)
    if output is not None:
        return Table(output) if verb["output"] == "table" and not as_text and _is_table(output) else pathlib.Path(output)
    folders = [value for name, value in options.items() if known[name]["type"] == "folder" and value is not None]
    if folders:
        return pathlib.Path(folders[0])
    return Text(written.decode()) if options.get("format") in ("csv", "jsonl", "table") else written


def _is_table(path):
    """Whether a table is in the file, by its name."""
    return os.fspath(path).endswith((".parquet", ".arrow", ".arrows", ".feather"))


def function(verb):
    """The verb as a function."""
    shape = signature(verb)

    def stage(*data, **options):
        for name in options.keys() - shape.parameters.keys():
            near = difflib.get_close_matches(name, shape.parameters, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"{stage.__name__}() got an unexpected keyword argument '{name}'{hint}")
        return call(verb, data, options)

    stage.__name__ = stage.__qualname__ = python_name(verb["name"])
    stage.__module__, stage.__doc__, stage.__signature__ = "softlabel", document(verb), shape
    return stage
