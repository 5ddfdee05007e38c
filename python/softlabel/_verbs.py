# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs as functions: names, signatures and documents are what `softlabel describe` says."""
import difflib
import inspect
import keyword
import os
import pathlib
import textwrap
from collections.abc import Mapping

from ._table import Bytes, Memory, Output, Source, Table, Text, is_path, take_bytes, take_text

MADE = {"table": Table, "text": Text, "bytes": Bytes, "folder": pathlib.Path}
TABLES = (".parquet", ".arrow", ".arrows", ".feather")  # how names of files end that hold a table


def python_name(name):
    """NAME as Python has names: `from` is `from_`, `simulate fit` is `simulate_fit`."""
    name = name.replace("-", "_").replace(" ", "_")
    return name + "_" if keyword.iskeyword(name) else name


def initial(option):
    """The value of an option that is not given; None where the stage finds one itself, or there is none."""
    return option.get("default") or None if option["type"] in ("texts", "inputs") else option.get("default")


def signature(verb):
    """What the verb's function takes: tables or files, then its options by name."""
    data = inspect.Parameter("data", inspect.Parameter.VAR_POSITIONAL)
    options = [inspect.Parameter(python_name(option["name"]), inspect.Parameter.KEYWORD_ONLY, default=initial(option)) for option in verb["options"]]
    return inspect.Signature([data, *options], return_annotation=MADE[verb["output"]])


def _limits(option):
    if option["type"] in ("texts", "inputs"):
        return " (several: a list)"
    if "minimum" not in option or option["type"] not in ("integer", "real"):
        return ""
    return f" ({option['minimum']:g} to {option['maximum']:g})" if "maximum" in option else f" ({option['minimum']:g} or more)"


def _fill(text, indent=""):
    return textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent)


def document(verb):
    """The verb's document: what it does, then its options."""
    parts = [verb["summary"][0].upper() + verb["summary"][1:] + "."]
    parts += [f"{does} {', '.join(verb[kinds])}." for does, kinds in (("Takes", "reads"), ("Makes", "writes")) if verb[kinds]]
    parts += [_fill(paragraph) for paragraph in verb["description"].split("\n") if paragraph]
    parts.append("Parameters\n----------")
    lines = []
    for option in verb["options"]:
        scope = f"; {option['scope']}" if "scope" in option else ""
        lines += [python_name(option["name"]), _fill(option["help"] + _limits(option) + scope, "    ")]
        choices = option.get("choices", [])
        told = [f"{choice['name']}: {choice['meaning']}" for choice in choices if "meaning" in choice]
        lines += [_fill(line, "        ") for line in told or [", ".join(choice["name"] for choice in choices)] if line]
    return "\n\n".join(parts) + "\n" + "\n".join(lines) + "\n"


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


def _inputs(verb, data, piped):
    """What goes by the pipe (or None), and the words that name all else. Where PIPED is false nothing goes by the pipe."""
    given = [one for each in data for one in (each if isinstance(each, list) else [each])]
    if verb["inputs"] == "words":
        for one in given:
            if not is_path(one):
                raise TypeError(f"{python_name(verb['name'])}() takes names, or files' paths, and {type(one).__name__} is none")
    elif verb["inputs"] == "files":
        given = [one if is_path(one) else Source(one) for one in given]
    else:
        tables = [list(data)] if verb["inputs"] == "table" and len(data) > 1 else data
        given = [one if isinstance(one, Table) else Table(one, wanted=verb["reads"]) for one in tables]
    if piped and len(given) == 1 and not is_path(given[0]):
        return given[0], []
    return None, [os.fspath(one) if is_path(one) else Memory("", getattr(one, "kind", None) or "table", getattr(one, "data", one)) for one in given]


def call(verb, data, options):
    """Runs VERB, or makes the table that is run when it is asked for."""
    known = {python_name(option["name"]): option for option in verb["options"]}
    options = {name: value for name, value in options.items() if value is not None}
    if not data and verb["inputs"] != "words" and python_name(verb.get("instead_of_input", "")) not in options:
        raise TypeError(f"{python_name(verb['name'])}() is given no table: a frame, or a file's path")
    if verb["name"] == "ingest":
        are_files = any(is_path(each) or isinstance(each, list) or hasattr(each, "__array_interface__") for each in data)
        options = {"from_": "auto" if are_files else "long", **options}
    for name in list(options):
        if f"{name}_from" in known and _has_commas(_plain(options[name], "texts")):
            options[f"{name}_from"] = options.pop(name)
    words = [verb["name"], *(word for name, value in options.items() for word in option_words(known[name], value))]
    before, more = _inputs(verb, data, options.get("from_", "long") == "long")  # ingest reads all else from files alone
    made = Table.stage(before, words + more)
    is_printed = any(options.get(python_name(name)) for name in verb.get("prints_with", "").split("|"))
    is_table = verb["output"] == "table" and not is_printed and options.get("format", "auto") in ("auto", "arrows")
    output = options.get("output")
    if output is None and is_table:
        return made
    if output is None and isinstance(before, Table):
        before.to_arrow()  # who prints a table goes on to use it
    written = made._run(take_text if verb["output"] == "text" or is_printed else take_bytes)
    if output is not None:
        return Table(output) if is_table and os.fspath(output).endswith(TABLES) else pathlib.Path(output)
    folder = next((value for name, value in options.items() if known[name]["type"] == "folder"), None)
    if folder is not None:
        return pathlib.Path(folder)
    return Text(written.decode()) if options.get("format") in ("csv", "jsonl", "table") else written


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
