# SPDX-License-Identifier: GPL-3.0-or-later
"""One pipeline of processes: who feeds it, who takes what it makes, what it says, and how it ends."""
import os
import re
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


class Room:
    """Files of one run that its processes read and write by name: those that are read lie in memory where the system can do that."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="softlabel-")
        self.held = []
        return self

    def __exit__(self, *_):
        for descriptor in self.held:
            os.close(descriptor)
        self.folder.cleanup()

    def name(self, stem, extension=""):
        """A path that nothing has yet."""
        path, n = os.path.join(self.folder.name, stem + extension), 1
        while os.path.lexists(path):
            n += 1
            path = os.path.join(self.folder.name, f"{stem}-{n}{extension}")
        return path

    def put(self, stem, extension, write):
        """The path of a file that WRITE has written to."""
        path = self.name(stem, extension)
        if hasattr(os, "memfd_create"):
            self.held.append(os.memfd_create(stem))
            os.symlink(f"/proc/self/fd/{self.held[-1]}", path)
        with open(path, "wb") as file:
            write(file)
        return path


class Bar:
    """How far the run is, once it says so itself, which it does after two seconds: a bar of tqdm if that is there, else its lines."""

    def __init__(self, rows):
        self.rows, self.fed, self.bar = rows, 0, None

    def feed(self, n):
        self.fed += n
        if self.bar is not None and self.rows:
            self.bar.update(n)

    def say(self, verb, text):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm
        except ImportError:
            print(f"softlabel {verb}: {text}", file=sys.stderr)
            return
        if self.bar is None:
            unit = {"unit": " rows", "unit_scale": True} if self.rows else {"bar_format": "{desc} {percentage:3.0f}%|{bar}| {elapsed}{postfix}"}
            self.bar = tqdm(total=self.rows or 100, initial=self.fed if self.rows else 0, leave=False, desc="softlabel", **unit)
        share, part = re.search(r"(\d+) %", text), re.search(r"(\d+) of (?:at most )?(\d+)", text)
        if not self.rows and (share or part):
            self.bar.n = int(share.group(1)) if share else 100 * int(part.group(1)) // int(part.group(2))
        self.bar.set_postfix_str(f"{verb}: {text}")

    def close(self):
        if self.bar is not None:
            self.bar.close()


def write_arrow(file, source, counted=lambda n: None):
    """An Arrow stream of SOURCE. Where one of them cannot be had the stream stays without its end, so that nobody takes it for whole."""
    writer = pa.ipc.new_stream(file, source.schema)
    for batch in source:
        for start in range(0, batch.num_rows, ROWS):
            writer.write_batch(batch.slice(start, ROWS))
            counted(min(batch.num_rows - start, ROWS))
    writer.close()


class Watched:
    """Batches of SOURCE; the problem that they end with is kept."""

    def __init__(self, source):
        self.schema, self.source, self.problem = source.schema, source, None

    def __iter__(self):
        try:
            yield from self.source.to_batches() if isinstance(self.source, pa.Table) else self.source
        except Exception as problem:
            self.problem = problem
            raise


def _feed(pipe, source, bar):
    try:
        with pipe:
            write_arrow(pipe, source, bar.feed)
    except Exception:  # pylint: disable=broad-except
        pass  # the source's problem is kept, and a process that has ended says why itself


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


def _check(processes, said, problem, taken, room):
    """The first stage that failed says why, or has printed it, as TAKEN has it; one whose reader has gone (SIGPIPE) did not fail."""
    for process, lines in zip(processes, said):
        if process.returncode not in (0, -13):
            why = [line for line in lines if line and not WARNING.match(line)]
            verb = " ".join(process.args[:2])
            told = "\n".join([*([taken.rstrip()] if isinstance(taken, str) and taken else []), *lines])
            line = why[-1] if why else told or f"{verb}: ended with status {process.returncode} and said nothing"
            raise Error(line.replace(os.path.join(room.folder.name, ""), ""), process.returncode)
    if problem:
        raise problem


def run(commands, take, source, room):
    """Runs COMMANDS, lists of words, each reading what the one before it writes. SOURCE, batches with a schema, goes into the first
    one unless it is None, TAKE is given what the last one writes and returns what is made of it. ROOM has the files that words name."""
    processes, said, threads, problem, taken = [], [], [], None, None
    bar = Bar(getattr(source, "num_rows", None))
    source = Watched(source) if source is not None else None
    try:
        before = subprocess.PIPE if source else subprocess.DEVNULL
        for words in commands:
            process = subprocess.Popen([program(), *words], stdin=before, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       pass_fds=room.held)
            if processes:
                before.close()
            before = process.stdout
            processes.append(process)
            said.append([])
            threads.append(threading.Thread(target=_listen, args=(process.stderr, said[-1], bar), daemon=True))
        if source:
            threads.append(threading.Thread(target=_feed, args=(processes[0].stdin, source, bar), daemon=True))
        for thread in threads:
            thread.start()
        try:
            taken = take(before)
        except (pa.ArrowInvalid, OSError) as found:
            problem = found
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
    if source and source.problem:
        raise source.problem
    _check(processes, said, problem, taken, room)
    _tell([line for lines in said for line in lines])
    return taken
