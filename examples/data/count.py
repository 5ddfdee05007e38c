# SPDX-License-Identifier: GPL-3.0-or-later
"""Count what survey.csv and votes.csv hold, from the files alone, as a Markdown table."""
import csv
import io
import json
from types import SimpleNamespace

# A record r has the classes first and second ("" if none), the probabilities p and q as typed, the
# same as numbers P and Q (None if they are not), and the set of classes ticked impossible.
TESTS = [
    ("records", lambda r: True),
    ("repeats", lambda r: r.task == "rerun_spec_conf"),
    ("first class is the true one", lambda r: r.first == r.label),
    ("first probability typed `8p`", lambda r: r.p == "8p"),
    ("first probability typed after a space", lambda r: r.p.startswith(" ")),
    ("first probability 0", lambda r: r.P == 0),
    ("first probability absent", lambda r: r.p == ""),
    ("a probability outside 0 to 100", lambda r: max(r.P or 0, r.Q or 0) > 100),
    ("second class chosen, its probability absent", lambda r: r.second and r.q == ""),
    ("second class none, its probability typed", lambda r: not r.second and r.q),
    ("second class same as the first", lambda r: r.second == r.first),
    ("second class chosen with probability 0", lambda r: r.second and r.Q == 0),
    ("second probability above the first", lambda r: r.second and None not in (r.P, r.Q) and r.Q > r.P),
    ("first class ticked impossible", lambda r: r.first in r.impossible),
    ("second class ticked impossible", lambda r: r.second in r.impossible),
    ("either class ticked impossible", lambda r: {r.first, r.second} & r.impossible),
    ("probabilities sum to more than 100", lambda r: (r.P or 0) + (r.second and r.Q or 0) > 100),
]


def read_record(row):
    d = json.loads(row["response"])
    r = SimpleNamespace(p=d["prob"], q=d["prob2"], **row)
    r.first = d["classSelect"].removeprefix("mostProb")
    r.second = d["classSelect2"].removeprefix("secondProb").replace("No", "")
    r.impossible = {k.removeprefix("improbClassSelect") for k in d if k.startswith("improb")}
    r.P, r.Q = (int(t) if t.strip().isdigit() else None for t in (r.p, r.q))
    return r


def summary(survey, votes, truth, story):
    """`story` names some annotators by their place in the survey; the first has a column of its own."""
    rows = list(csv.DictReader(io.StringIO(survey)))
    people = list(dict.fromkeys(row["subject"] for row in rows))
    records = [read_record(row) for row in rows if row["task"]]
    finished = {row["subject"] for row in rows if row["trial_type"] == "survey-text"}
    # The session stored twice counts once here, the unfinished one not at all.
    once = {(r.subject, r.trial_index): r for r in records if r.subject in finished}.values()
    said = {(r.subject, r.img_id): r.first for r in once if r.task == "spec_conf"}
    changed = ("repeats that change the first class*", lambda r: said[r.subject, r.img_id] != r.first)
    apart = people[next(iter(story.values()))]
    table = [f"| survey.csv | all | {next(iter(story))} |", "|---|---|---|",
             f"| rows below the header | {len(rows)} | |", f"| annotators | {len(people)} | 1 |",
             f"| annotators with a last page | {len(finished)} | 1 |"]
    for among, (name, test) in [(records, t) for t in TESTS] + [(once, changed)]:
        hits = [r.subject for r in among if test(r)]
        table.append(f"| {name} | {len(hits)} | {hits.count(apart)} |")
    for name, who in story.items():
        n = sum(r.subject == people[who] for r in records)
        table.append(f"| records of `{people[who]}`, {name} | {n} | |")
    gold = dict(csv.reader(io.StringIO(truth)))
    answers = list(csv.DictReader(io.StringIO(votes)))
    right = sum(a["label"] == gold[a["item"]] for a in answers)
    table += [f"| votes.csv: answers | {len(answers)} | |", f"| votes.csv: correct answers | {right} | |"]
    return "\n".join(table) + "\n"
