# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/coming-from.md: every command runs; where the other tool is at hand, its call runs too, and both say the same.

    coming-from.py SOFTLABEL          (in TAP)

A block of Python leaves what it computes in `result`; the block of shell behind it writes its own with -o, or prints it. Labels are compared by item
and class, winners but for ties, a column of figures by the column that a comment at the end of the command names.
"""

import csv
import io
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

SOFTLABEL = os.path.abspath(sys.argv[1])
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "coming-from.md")
TOLERANCE = 1e-6


def make_files():
    """The files that the page speaks of. Five answers an item, of annotators none of whom is perfect."""
    random = np.random.default_rng(5)
    rows, gold = [], []
    for item in range(60):
        true = random.integers(3)
        gold.append((f"i{item}", "abc"[true]))
        for annotator in sorted(random.choice(12, 5, replace=False)):
            said = true if random.random() < 0.7 else (true + 1 + random.integers(2)) % 3
            rows.append((f"i{item}", f"w{annotator}", "abc"[said]))
    votes = pd.DataFrame(rows, columns=["task", "worker", "label"])
    gold = pd.DataFrame(gold, columns=["task", "label"])
    codes = votes.assign(task=votes["task"].str[1:].astype(int), label=votes["label"].map({"a": 0, "b": 1, "c": 2}))
    multiannotator = codes.pivot(index="task", columns="worker", values="label").astype(float)
    pred_probs = random.dirichlet([1, 1, 1], 60)
    given = pd.DataFrame({"item": range(60), "label": random.integers(3, size=60)}).set_index("item")
    votes.to_csv("votes.csv", index=False)
    gold.to_csv("gold.csv", index=False)
    multiannotator.to_csv("labels_multiannotator.csv")
    np.save("pred_probs.npy", pred_probs)
    given.to_csv("given.csv")
    with open("answers.json", "w", encoding="utf-8") as out:
        out.write('{"0":{"4":1,"9":0},"2":{"9":1}}')
    with open("export.json", "w", encoding="utf-8") as out:
        out.write('[{"id":7,"data":{"image":"a.png"},"annotations":[{"completed_by":3,"result":[{"from_name":"kind","to_name":"img",'
                  '"type":"choices","value":{"choices":["cat"]}}]},{"completed_by":4,"result":[{"from_name":"kind","to_name":"img",'
                  '"type":"choices","value":{"choices":["dog"]}}]}]}]')  # fmt: skip
    return {"votes": votes, "gold": gold, "multiannotator": multiannotator, "pred_probs": pred_probs, "given": given, "pd": pd, "np": np}


def blocks():
    """(language, text) of the page's blocks, in order."""
    with open(PAGE, encoding="utf-8") as page:
        return re.findall(r"^```(\w+)\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)


def ours(command):
    """What COMMAND writes or prints, as rows of text."""
    path = f"{os.path.dirname(SOFTLABEL)}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], capture_output=True, text=True, errors="replace", env={**os.environ, "PATH": path}, check=False)
    assert done.returncode == 0, f"{command}: status {done.returncode}: {done.stderr}"
    files = re.findall(r"-o (\S+)", command)
    text = done.stdout
    if files:
        cat = subprocess.run([SOFTLABEL, "cat", files[-1], "--format", "csv"], capture_output=True, text=True, check=False)
        assert cat.returncode == 0, cat.stderr
        text = cat.stdout
    return text


def compare(result, command, text):
    if isinstance(result, (float, np.floating)):
        found = float(text.split(",")[1])
        assert abs(found - result) <= TOLERANCE, (found, result)
        return
    rows = list(csv.DictReader(io.StringIO(text)))
    if isinstance(result, pd.DataFrame) and "worker" in result:
        columns = ["item", "annotator", "class", "gold"][: result.shape[1]]
        assert sorted(tuple(row[c] for c in columns) for row in rows) == sorted(map(tuple, result.to_numpy())), text[:300]
        return
    assert len(rows) == len(result), (len(rows), len(result))
    column = re.search(r"# (\w+)\s*$", command)
    for row in rows:
        item = row["item"] if row["item"] in result.index else int(row["item"])
        if column:
            assert abs(float(row[column[1]]) - result[item]) <= TOLERANCE, (item, row, result[item])
            continue
        label = {name[len("label.") :]: float(p) for name, p in row.items() if name.startswith("label.")}
        if isinstance(result, pd.DataFrame):
            assert all(abs(label[c] - result.loc[item, c]) <= TOLERANCE for c in result.columns), (item, label, result.loc[item])
        else:
            best = max(label.values())
            assert abs(label[result[item]] - best) <= 1e-9 or sorted(label.values())[-2] == best, (item, label, result[item])


def untied(frame):
    """The items of FRAME, votes, of which one class has most answers."""
    counts = frame.groupby("task")["label"].value_counts().unstack(fill_value=0)
    top = np.sort(counts.to_numpy(), axis=1)
    return counts.index[top[:, -1] > top[:, -2]]


def main():
    os.chdir(tempfile.mkdtemp())
    names = make_files()
    untied_items = set(untied(names["votes"]))
    assert len(untied_items) > 30
    count = failed = 0
    pending = None
    print(f"1..{sum(language == 'sh' for language, _ in blocks())}")
    for language, text in blocks():
        if language == "python":
            pending = text
            continue
        count += 1
        what = text.strip().split("\n")[-1]
        note = ""
        try:
            said = ours(text)
            if pending is not None:
                scope = dict(names)
                try:
                    exec(pending, scope)  # the page's own text
                except ModuleNotFoundError as absent:
                    note = f" # alone: no {absent.name} here"
                else:
                    result = scope["result"]
                    if "--method majority" in text:
                        # Who is first of a tie is each tool's own affair.
                        keep = [item for item in result.index if (item if isinstance(item, str) else f"i{item}") in untied_items]
                        result, lines = result[keep], said.splitlines()
                        said = "\n".join([lines[0], *(line for line in lines[1:] if line.split(",")[0] in {str(item) for item in keep})])
                    compare(result, text, said)
            print(f"ok {count} - {what}{note}")
        except Exception as problem:  # every block is tried
            failed += 1
            print(f"not ok {count} - {what}\n# {type(problem).__name__}: {str(problem)[:1500]!r}")
        pending = None
    sys.exit(failed > 0)


main()
