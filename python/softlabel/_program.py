# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program is, and what it says of itself."""
import functools
import json
import os
import shutil
import subprocess
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """A stage failed: the line that it said, and the status that it ended with (1: reading, writing or memory failed; 2: the options
    are wrong; 3: the input is invalid or incomplete)."""

    def __init__(self, line, status=None):
        super().__init__(line)
        self.status = status

    def _render_traceback_(self):
        """What a notebook shows: where it was asked for, and the line."""
        asked = [frame for frame in traceback.extract_tb(self.__traceback__) if not frame.filename.startswith(HERE) and "IPython" not in frame.filename]
        where = [f"line {asked[-1].lineno}: {asked[-1].line}"] if asked and asked[-1].line else []
        return [*where, f"softlabel.Error: {self}"]


@functools.lru_cache(maxsize=None)
def program():
    """The program's path: what SOFTLABEL says, the one that was installed with this package (of a prefix, or by `pip install --target`),
    or the one on the PATH."""
    beside = os.pathsep.join(os.path.join(HERE, *[os.pardir] * up, "bin") for up in (4, 1))
    found = os.environ.get("SOFTLABEL") or shutil.which("softlabel", path=beside) or shutil.which("softlabel")
    if not found:
        raise Error("the program softlabel is not on the PATH: install it, or say where it is in the environment variable SOFTLABEL")
    return found


@functools.lru_cache(maxsize=None)
def description():
    """What `softlabel describe --json` says; the verbs by name, each with the options of every verb that it uses."""
    done = subprocess.run([program(), "describe", "--json"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        raise Error(f"{program()} does not describe itself: {done.stderr.decode(errors='replace').strip()}", done.returncode)
    told = json.loads(done.stdout)
    for verb in told["verbs"]:
        verb["options"] += [option for option in told["options"] if option["name"] not in verb["unused"]]
    return {**told, "verbs": {verb["name"]: verb for verb in told["verbs"]}}
