# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs softlabel and its peers on the same input and prints medians, ratios and peak memory.

Softlabel is timed as a whole process, from start to exit; a peer from the moment its imports are done, in a process of its
own. Input is in the page cache for both. Figures of shared machines move: read the ratios.
"""
import argparse
import glob
import os
import shlex
import statistics
import subprocess
import sys
import time

CLASSES = "airplane,automobile,bird,cat,deer,dog,frog,horse,ship,truck"
HERE = os.path.dirname(os.path.abspath(__file__))


def measure(command):
    """Seconds, processors' seconds, and peak bytes of the largest process, of a shell command."""
    start = time.perf_counter()
    process = subprocess.Popen(["bash", "-o", "pipefail", "-c", command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"bench: failed: {command}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure_peer(name, path, python=sys.executable):
    """Seconds, and processors' seconds, that peers.py reports for itself, and its peak bytes."""
    process = subprocess.Popen([python, os.path.join(HERE, "peers.py"), name, path], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"bench: peer failed: {name}")
    return *map(float, output.split()), usage.ru_maxrss * 1024


def median(runs):
    seconds, processors, memory = zip(*runs)
    return statistics.median(seconds), statistics.median(processors), max(memory)


class Bench:
    def __init__(self, options):
        self.options = options
        self.softlabel = options.softlabel

    def data(self, name):
        """Path of generated input, made in a process of its own: a child's peak memory counts what its parent had."""
        command = [sys.executable, os.path.join(HERE, "data.py"), name, self.options.folder, str(self.options.rows)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def row(self, name, figures, base, note=""):
        seconds, processors, memory = figures
        print(f"  {name:<44}{seconds:9.3f} s{seconds / base[0]:7.2f} x {processors:9.3f} s{processors / base[1]:7.2f} x"
              f"{memory / 2**20:7.0f} MiB  {note}", flush=True)

    def case(self, title, ours, peers, rows=None, notes=None):
        """OURS: (name, command) pairs; PEERS: (name, function that measures once). In turn, so that all see the same weather.
        NOTES: (name, function that says more of it)."""
        print(f"\n{title}")
        notes = dict(notes or [])
        results = {name: [] for name, _ in ours + peers}
        for _ in range(self.options.repeat):
            for name, command in ours:
                results[name].append(measure(command))
            for name, function in peers:
                results[name].append(function())
        base = median(results[ours[0][0]])
        for name, _ in ours + peers:
            figures = median(results[name])
            note = f"{rows / figures[0] / 1e6:.1f} M rows/s" if rows else ""
            self.row(name, figures, base, notes[name]() if name in notes else note)

    def start(self):
        self.case("start-up", [("softlabel --version", f"{self.softlabel} --version")], [])

    def hop(self):
        path = self.data("labels")
        size = os.path.getsize(path)
        self.case(f"a hop between two stages, {size / 1e6:.0f} MB of labels",
                  [("softlabel cat | softlabel cat", f"{self.softlabel} cat {path} | {self.softlabel} cat"),
                   ("dd bs=1M | cat", f"dd if={path} bs=1M status=none | cat")], [], self.options.rows)

    def ingest(self):
        path = self.data("votes")
        out = " | cat"
        peers = [(f"{peer}", lambda peer=peer: measure_peer(peer, path))
                 for peer in ("pyarrow-dictionaries", "pyarrow-plain", "duckdb-csv", "polars-csv")]
        self.case(f"long CSV of {os.path.getsize(path) / 1e6:.0f} MB",
                  [("ingest --from long, to a pipe", f"{self.softlabel} ingest --from long {path}{out}"),
                   ("  with --classes", f"{self.softlabel} ingest --from long --classes {CLASSES} {path}{out}"),
                   ("  from a pipe", f"cat {path} | {self.softlabel} ingest --from long{out}"),
                   ("  -j 1", f"{self.softlabel} ingest --from long -j 1 {path}{out}")], peers, self.options.rows)

    def ingest_json(self):
        path = self.data("label-studio")
        self.case(f"Label Studio's JSON of {os.path.getsize(path) / 1e6:.0f} MB",
                  [("ingest --from labelstudio", f"{self.softlabel} ingest --from labelstudio {path} | cat"),
                   ("  with --classes", f"{self.softlabel} ingest --from labelstudio --classes {CLASSES} {path} | cat"),
                   ("  from a pipe", f"cat {path} | {self.softlabel} ingest --from labelstudio | cat")],
                  [("Python's json and the obvious loop", lambda: measure_peer("python-label-studio", path))], self.options.rows)

    def redistribute(self):
        path = self.data("answers")
        null = "--format arrows -o /dev/null"
        self.case("redistribute --top 2 --spread clamp",
                  [("softlabel redistribute -j 1", f"{self.softlabel} redistribute -j 1 {path} {null}"),
                   ("  -j 2", f"{self.softlabel} redistribute -j 2 {path} {null}")],
                  [("NumPy, vectorised", lambda: measure_peer("numpy-vectorised", path)),
                   ("NumPy, row by row (1 % of the rows, times 100)", lambda: measure_peer("numpy-rows", path))], self.options.rows)

    def aggregate(self):
        path = self.data("labels-parquet")
        self.case("aggregate --method mean, from Parquet",
                  [("softlabel aggregate", f"{self.softlabel} aggregate --method mean {path} | cat")],
                  [(peer, lambda peer=peer: measure_peer(peer, path)) for peer in ("duckdb-mean", "polars-mean")], self.options.rows)

    def parquet(self):
        """A table as `simulate elicit` makes it, from an Arrow stream; the peers have it in memory."""
        rows, folder = self.options.rows, self.options.folder
        table = os.path.join(folder, f"elicited-{rows}.arrows")
        if not os.path.exists(table):
            measure(f"{self.elicit_command()} --as labels -o {shlex.quote(table)}")
        ours = [("softlabel cat", "softlabel", ""), ("  -j 1", "softlabel-1", "-j 1 ")]
        peers = [(tool, f"{tool.lower()}-parquet") for tool in ("Polars", "pyarrow", "DuckDB")]
        path = {name: os.path.join(folder, f"{file}.parquet") for name, file in [(name, file) for name, file, _ in ours] + peers}
        self.case(f"{os.path.getsize(table) / 1e6:.0f} MB of labels to Parquet",
                  [(name, f"{self.softlabel} cat {more}{shlex.quote(table)} -o {shlex.quote(path[name])}") for name, _, more in ours] +
                  [("  reading alone", f"{self.softlabel} cat {shlex.quote(table)} --format arrows -o /dev/null")],
                  [(name, lambda peer=peer: measure_peer(peer, table)) for name, peer in peers],
                  notes=[(name, lambda file=file: f"{os.path.getsize(file) / 1e6:.1f} MB") for name, file in path.items()])
        for file in path.values():
            os.remove(file)

    def score(self):
        """Every metric of predictions beside labels, and the bootstrap of 10,000 items."""
        people, model = self.data("people"), self.data("model")
        score = f"{self.softlabel} score --clip 1e-12 --interval none --against {people} {model} -o /dev/null --format arrows"
        self.case("score, 10 classes, from Parquet",
                  [("softlabel score, the usual metrics", score), ("  --metrics all", f"{score} --metrics all"),
                   ("  reading both tables alone", f"{self.softlabel} id {people} && {self.softlabel} id {model}")],
                  [("NumPy and SciPy, the usual metrics", lambda: measure_peer("numpy-score", model))], self.options.rows)
        self.case("the bootstrap: 10,000 resamples of 10,000 items",
                  [("softlabel score --metrics cross_entropy", f"{self.softlabel} select --sample 10000 {model} | {self.softlabel} score --clip 1e-12 "
                    f"--inner -q --metrics cross_entropy --interval bootstrap --resamples 10000 --against {people}"),
                   ("  without it", f"{self.softlabel} select --sample 10000 {model} | {self.softlabel} score --clip 1e-12 --inner -q "
                    f"--metrics cross_entropy --interval none --against {people}")],
                  [("SciPy, vectorised", lambda: measure_peer("scipy-bootstrap", model, self.options.crowdkit))] if self.options.crowdkit else [])

    def crowd(self):
        for n_classes in (2, 4, 10):
            path = self.data(f"crowd-{n_classes}")
            fit = f"{self.softlabel} aggregate --method dawid-skene --iterations 20 --tolerance 0 {path}"
            peers = []
            if self.options.crowdkit and self.options.rows <= 1_000_000:
                peers = [("crowd-kit, the fit alone", lambda path=path: measure_peer("crowdkit-dawid-skene", path, self.options.crowdkit))]
            self.case(f"Dawid-Skene, 20 rounds, {n_classes} classes",
                      [("softlabel aggregate", f"{fit} | cat"), ("  -j 1", f"{fit} -j 1 | cat"),
                       ("  counts alone", f"{self.softlabel} aggregate --method counts {path} | cat")], peers, self.options.rows)

    def methods(self):
        """With as many rounds each, of a million answers; of fewer where a peer would take half an hour."""
        if not self.options.crowdkit:
            print("\nmethods: skipped, crowd-kit cannot be installed here")
            return
        whole = self.options.rows
        for method, options, peer, most in (("glad", "--iterations 10", "crowdkit-glad", 100_000),
                                            ("mace", "--iterations 20 --restarts 1", "crowdkit-mace", 1_000_000),
                                            ("ibcc", "--iterations 20", "numpy-ibcc", 1_000_000),
                                            ("ebcc", "--iterations 20 --restarts 1", "numpy-ebcc", 1_000_000)):
            self.options.rows = min(whole, most)
            path = self.data("crowd-4")
            self.case(f"{method} {options}, 4 classes, {self.options.rows:,} answers",
                      [("softlabel aggregate", f"{self.softlabel} aggregate --method {method} {options} --tolerance 0 {path} | cat")],
                      [(f"{peer}, the fit alone", lambda peer=peer, path=path: measure_peer(peer, path, self.options.crowdkit))])
        self.options.rows = whole

    def simulate(self):
        rows = self.options.rows
        crowd = f"{self.softlabel} simulate crowd --items {rows // 5} --classes 10 --annotators 1000 --answers-per-item 5 --crowd independent=1"
        self.case("simulate crowd: 10 classes, 1,000 annotators, 5 answers an item",
                  [("softlabel simulate crowd", f"{crowd} --format arrows -o /dev/null"), ("  -j 1", f"{crowd} -j 1 --format arrows -o /dev/null"),
                   ("  evenly", f"{crowd} --items-per-annotator {rows // 1000} --format arrows -o /dev/null"),
                   ("  items of different ease", f"{crowd} --difficulty 1 --format arrows -o /dev/null")],
                  [("NumPy, arrays alone", lambda: measure_peer("numpy-crowd", str(rows))),
                   ("NumPy, an Arrow stream", lambda: measure_peer("numpy-crowd-table", str(rows)))], rows)

    def elicit_command(self):
        """With a model and items for it, which are made first."""
        rows, folder = self.options.rows, shlex.quote(self.options.folder)
        survey = os.path.join(HERE, "..", "..", "examples", "data", "survey.csv")
        classes = "Airplane,Automobile,Bird,Cat,Deer,Dog,Frog,Horse,Ship,Truck"
        measure(f"{self.softlabel} ingest -q --from jspsych --replace-percent 8p=80 {survey} | {self.softlabel} exclude -q | "
                f"{self.softlabel} simulate fit -o {folder}/model.parquet")
        measure(f"{self.softlabel} simulate crowd --items {rows // 10} --classes {classes} --annotators 1 --answers-per-item 1 "
                f"--truth {folder}/items.parquet --format arrows -o /dev/null")
        return f"{self.softlabel} simulate elicit --model {folder}/model.parquet --annotators 10 {folder}/items.parquet"

    def elicit(self):
        rows, folder = self.options.rows, shlex.quote(self.options.folder)
        elicit = self.elicit_command()
        self.case("simulate elicit: 10 classes, 10 answers an item",
                  [("softlabel simulate elicit --as labels", f"{elicit} --as labels --format arrows -o /dev/null"),
                   ("  -j 1", f"{elicit} --as labels -j 1 --format arrows -o /dev/null"),
                   ("  the answers", f"{elicit} --format arrows -o /dev/null"),
                   ("  labels to Parquet", f"{elicit} --as labels -o {folder}/elicited.parquet")],
                  [("NumPy, vectorised, arrays alone", lambda: measure_peer("numpy-elicit", self.options.folder)),
                   ("NumPy, row by row (1 % of the rows, times 100)", lambda: measure_peer("numpy-elicit-rows", self.options.folder))], rows)
        os.remove(os.path.join(self.options.folder, "elicited.parquet"))

    def accuracy(self):
        """Every method on sets with gold: how often right, and how far off (Brier), and the seconds of it all."""
        data = os.environ.get("SOFTLABEL_DATA", "")
        sets = [folder for folder in sorted(glob.glob(os.path.join(data, "crowd", "*"))) if os.path.exists(os.path.join(folder, "truth.csv"))]
        if not data or not sets:
            print("\naccuracy: skipped, SOFTLABEL_DATA has no sets with gold")
            return
        print(f"\naccuracy, means over {len(sets)} sets with gold\n  {'':<26}{'accuracy':>9}{'Brier':>8}{'-log p':>8}{'seconds':>9}")
        for method in METHODS:
            scores, start = [], time.perf_counter()
            for folder in sets:
                labels = f"{self.softlabel} ingest --from long {folder}/label.csv | {self.softlabel} aggregate --method {method} --format csv"
                score = [sys.executable, os.path.join(HERE, "..", "cases", "aggregate", "published", "score.py"), f"{folder}/truth.csv", "-"]
                output = subprocess.run(f"{labels} | {shlex.join(score)}", shell=True, check=True, stdout=subprocess.PIPE, text=True).stdout
                scores.append([float(figure) for figure in output.split()[1:]])
            means = [statistics.mean(column) for column in zip(*scores)]
            print(f"  {method:<26}{means[0]:9.4f}{means[1]:8.3f}{means[2]:8.3f}{time.perf_counter() - start:9.2f}", flush=True)


METHODS = ["counts", "wawa", "zero-based-skill", "la --iterations 2", "one-coin", "dawid-skene", "hierarchical-dawid-skene", "ibcc", "glad", "mace",
           "m-msr", "bwa", "ptbcc", "ebcc", "auto", "counts --calibrate", "dawid-skene --calibrate", "ebcc --calibrate"]


def main():
    cases = ["start", "hop", "ingest", "ingest_json", "redistribute", "parquet", "aggregate", "score", "crowd", "methods", "simulate", "elicit", "accuracy"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--softlabel", required=True)
    parser.add_argument("--folder", required=True, help="where the generated input is kept")
    parser.add_argument("--crowdkit", help="a python that has crowd-kit, which is run with up to a million rows")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(cases))
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    print(f"{options.rows:,} rows, {os.cpu_count()} processors, median of {options.repeat}; "
          "time and time over softlabel's, the same of the processors' time, peak memory of the largest process")
    for case in options.cases or cases:
        getattr(Bench(options), case)()


main()
