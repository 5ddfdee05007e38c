# SPDX-License-Identifier: GPL-3.0-or-later
"""One pipeline of processes: who feeds it, who takes what it makes, what it says, and how it ends."""
import collections
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings

import pyarrow as pa
import pyarrow.ipc

from ._program import HERE, Error, program

ROWS = 1 << 16  # at once into a pipe
PATIENCE = 2  # seconds that a process has to end in, once it was told to
PROGRESS = re.compile(r"^softlabel ([a-z -]+): (.*, \d+:\d\d(?::\d\d)?(?:, .*)?)$")
WARNING = re.compile(r"^softlabel [a-z -]+: warning: ")


class Room(contextlib.ExitStack):
    """Files of one run that its processes read and write by name: those that are read lie in memory where the system can do that."""

    def __init__(self):
        super().__init__()
        self.folder = self.enter_context(tempfile.TemporaryDirectory(prefix="softlabel-"))
        self.held = []
        self.used = collections.Counter()

    def name(self, stem, extension=""):
        """A path that nothing else has."""
        self.used[stem] += 1
        number = f"-{self.used[stem]}" if self.used[stem] > 1 else ""
        return os.path.join(self.folder, stem + number + extension)

    def put(self, stem, extension, write):
        """The path of a file that WRITE has written to."""
        path = self.name(stem, extension)
        if hasattr(os, "memfd_create"):
            self.held.append(os.memfd_create(stem))
            self.callback(os.close, self.held[-1])
            os.symlink(f"/proc/self/fd/{self.held[-1]}", path)
        with open(path, "wb") as file:
            write(file)
        return path


class Bar:
    """How far the run is, once it says so itself, which it does after two seconds: a bar of tqdm if that is there, else its lines."""

    def __init__(self, rows):
        self.rows, self.fed, self.bar = rows, 0, None

    def _open(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
        if self.rows:
            return tqdm(total=self.rows, initial=self.fed, leave=False, desc="softlabel", unit=" rows", unit_scale=True)
        return tqdm(total=100, leave=False, desc="softlabel", bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}{postfix}")

    def say(self, verb, text):
        """Shows TEXT, which VERB's process has said."""
        try:
            if self.bar is None:
                self.bar = self._open()
        except ImportError:
            print(f"softlabel {verb}: {text}", file=sys.stderr)
            return
        share, part = re.search(r"(\d+) %", text), re.search(r"(\d+) of (?:at most )?(\d+)", text)
        if self.rows:
            self.bar.n = self.fed
        elif share:
            self.bar.n = int(share.group(1))
        elif part:
            self.bar.n = 100 * int(part.group(1)) // int(part.group(2))
        self.bar.set_postfix_str(f"{verb}: {text}")

    def close(self):
        """Nothing more is shown."""
        if self.bar is not None:
            self.bar.close()


def write_arrow(file, source, bar=None):
    """An Arrow stream of SOURCE, a table or batches. Where a batch cannot be had the stream stays without its end, so that nobody takes
    it for whole."""
    writer = pa.ipc.new_stream(file, source.schema)
    for batch in source.to_batches() if isinstance(source, pa.Table) else source:
        for start in range(0, batch.num_rows, ROWS):
            part = batch.slice(start, ROWS)
            writer.write_batch(part)
            if bar:
                bar.fed += part.num_rows
    writer.close()


def _feed(pipe, source, bar, problems):
    try:
        with pipe:
            write_arrow(pipe, source, bar)
    except BrokenPipeError:
        pass  # a process that has ended says why itself
    except Exception as problem:  # pylint: disable=broad-except
        problems.append(problem)


def _listen(pipe, said, bar):
    with pipe:
        for line in pipe:
            line = line.decode(errors="replace").rstrip("\n")
            progress = PROGRESS.match(line)
            if progress:
                bar.say(*progress.groups())
            else:
                said.append(line)


def _end(processes):
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _tell(said):
    """Warnings become Python's, of the line that called this package; notes are printed."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        frame, level = frame.f_back, level + 1
    for line in said:
        if WARNING.match(line):
            warnings.warn(line, stacklevel=level)
        else:
            print(line, file=sys.stderr)


def _check(processes, said, taken, room):
    """The first stage that failed says why, or has printed it, as TAKEN has it; one whose reader has gone (SIGPIPE) did not fail."""
    for process, lines in zip(processes, said):
        if process.returncode not in (0, -13):
            why = [line for line in lines if line and not WARNING.match(line)]
            printed = [taken.rstrip()] if isinstance(taken, str) and taken else []
            line = why[-1] if why else "\n".join(printed + lines)
            line = line or f"{' '.join(process.args[:2])}: ended with status {process.returncode} and said nothing"
            raise Error(line.replace(os.path.join(room.folder, ""), ""), process.returncode)


def run(commands, take, source, room):
    """Runs COMMANDS, lists of words, each reading what the one before it writes. SOURCE, a table or batches with a schema, goes into the
    first one unless it is None, TAKE is given what the last one writes and returns what is made of it. ROOM has the files that words name."""
    processes, said, threads = [], [], []
    unfed, unread, taken = [], [], None  # the problems of SOURCE, and of TAKE
    bar = Bar(getattr(source, "num_rows", None))
    wide = {**os.environ, "COLUMNS": str(shutil.get_terminal_size((100, 24)).columns)}
    try:
        before = subprocess.DEVNULL if source is None else subprocess.PIPE
        for words in commands:
            process = subprocess.Popen([program(), *words], stdin=before, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=room.held, env=wide)
            if processes:
                before.close()
            before = process.stdout
            processes.append(process)
            said.append([])
            threads.append(threading.Thread(target=_listen, args=(process.stderr, said[-1], bar), daemon=True))
        if source is not None:
            threads.append(threading.Thread(target=_feed, args=(processes[0].stdin, source, bar, unfed), daemon=True))
        for thread in threads:
            thread.start()
        try:
            taken = take(before)
        except (pa.ArrowInvalid, OSError) as problem:
            unread.append(problem)
        before.close()
        for process in processes:
            process.wait()
        for thread in threads:
            thread.join()
    except BaseException:
        _end(processes)
        raise
    finally:
        bar.close()
    if not unfed:
        _check(processes, said, taken, room)
    for problem in unfed + unread:
        raise problem
    _tell([line for lines in said for line in lines])
    return taken
