#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write survey.csv, votes.csv and truth.csv, and print what they hold as a Markdown table.

    generate.py           write the files beside this script
    generate.py --check   write nothing; fail if a file, or the table in README.md, differs
"""
import csv
import io
import json
import pathlib
import random
import sys
from types import SimpleNamespace as Record

sys.dont_write_bytecode = True  # leave no __pycache__ among the data
from count import summary

CLASSES = "Airplane Automobile Bird Cat Deer Dog Frog Horse Ship Truck".split()
VEHICLES = "Airplane Automobile Ship Truck".split()
NEAR = dict(Airplane=["Bird", "Ship"], Automobile=["Truck", "Ship"], Bird=["Airplane", "Frog"],
            Cat=["Dog", "Frog"], Deer=["Horse", "Dog"], Dog=["Cat", "Horse"], Frog=["Bird", "Cat"],
            Horse=["Deer", "Dog"], Ship=["Airplane", "Truck"], Truck=["Automobile", "Ship"])
N_ITEMS, N_PEOPLE, BATCH, VOTES_PER_ITEM = 200, 40, 25, 10
FIRST_ITEM = 60000  # CIFAR-10 has 60,000 images, so no item can be taken for one of them
CARELESS, TWICE, UNFINISHED = 13, 8, 30  # annotators with a story of their own
QUIZ_RETRY = 4, 22  # failed the comprehension quiz once
CHANGED_MIND = 2, 11, 19, 27, 36  # disagree with themselves on the last repeat
REPEATED = 5, 10  # these trials are shown again at the end of a session

# Slips planted in the records of careful annotators: how many, and what is typed instead: first
# probability, second class, second probability, and perhaps a class ticked impossible.
PLANTED = [typed for n, *typed in [
    (1, "8p", "near", "20"), (1, " 80", "near", "20"), (2, "0", None, ""), (1, "", None, ""),
    (3, "80", "near", ""), (6, "90", None, "10"), (4, "75", "first", "25"), (2, "100", "near", "0"),
    (3, "30", "near", "60"), (5, "95", "near", "10"),
    (2, "90", "near", "10", "first"), (2, "90", "near", "10", "near")] for _ in range(n)]
CAREFUL = [who for who in range(N_PEOPLE) if who not in (CARELESS, TWICE, UNFINISHED)]
SPOILT = dict(zip(CAREFUL, PLANTED))  # one record each, so that nobody is excluded for it

# Every draw goes through random(), the one method whose sequence Python promises not to change.
rnd = random.Random(2022).random


def pick(values):
    return values[int(rnd() * len(values))]


def shuffled(values):
    return [v for _, v in sorted((rnd(), v) for v in values)]


def make_item(i):
    """Half the items are clear, a third show a trace of another class, the rest could be either."""
    truth, u = CLASSES[i % len(CLASSES)], rnd()
    low, high = (0.96, 1) if u < 0.5 else (0.75, 0.92) if u < 0.82 else (0.42, 0.65)
    return Record(id=FIRST_ITEM + i, truth=truth, other=NEAR[truth][rnd() < 0.2], clarity=low + (high - low) * rnd())


def ticks(style, first, second):
    """Chances of calling a class impossible if it is of the other kind (animal, vehicle) or the same."""
    chance = dict(all=(1, 1), kind=(1, 0.3), few=(0.3, 0))[style]
    no = {c for c in CLASSES if rnd() < chance[(c in VEHICLES) == (first in VEHICLES)]}
    return no - {first, second}


def careful(who, trial, item, style):
    belief = item.clarity + 0.5 * (rnd() - 0.5)
    first, second = item.truth, item.other if rnd() < 0.85 else pick(NEAR[item.truth])
    if belief < 0.5:
        first, second, belief = second, first, 1 - belief
    p = min(100, 5 * int(20 * belief + 0.5))
    if 50 < p < 100 and rnd() < 0.2:
        p += int(1 + 4 * rnd())  # most people type multiples of 5, not all
    q = 100 - p if rnd() < 0.7 else (100 - p) // 2
    if q == 0 or p > 85 and rnd() < 0.3:
        second, q = None, ""
    r = Record(first=first, p=str(p), second=second, q=str(q), no=ticks(style, first, second))
    if who in SPOILT and trial == 11 + who % 14:  # after the trials that are repeated
        r.p, second, r.q, *ticked = SPOILT[who]
        named = {"near": item.other if first == item.truth else item.truth, "first": first, None: None}
        r.second = named[second]
        r.no = r.no - {r.second} | {named[t] for t in ticked}
    return r


def careless(trial):
    """Clicks at random, contradicts itself three times and once types more than 100."""
    first, second = shuffled(CLASSES)[:2]
    p = 50 + 5 * int(10 * rnd())
    no = ticks("few", first, second) | set({3: [first], 9: [second], 15: [first, second]}.get(trial, []))
    return Record(first=first, p="150" if trial == 20 else str(p), second=second, q=str(100 - p), no=no)


def again(who, trial, r):
    """The answer to a repeated trial: as before, the probability perhaps a little different."""
    if who == CARELESS:
        return careless(None)
    if who in CHANGED_MIND and trial == REPEATED[-1]:
        second = r.second or NEAR[r.first][0]
        return Record(first=second, p="60", second=r.first, q="40", no=r.no - {second})
    shift = 5 if r.second and int(r.q) > 5 and rnd() < 0.4 else 0
    return Record(first=r.first, p=str(int(r.p) + shift), second=r.second, q=r.q and str(int(r.q) - shift), no=r.no)


def session(who, items):
    subject = "".join(pick("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(15))
    batch, style, order = who % (N_ITEMS // BATCH), pick(["all", "all", "kind", "few"]), shuffled(CLASSES)
    rows, elapsed = [], 0

    def page(kind, mean_ms, response="", tail=("",) * 4):
        nonlocal elapsed
        # The product of two uniforms has the long tail of response times and needs no logarithm.
        rt = round(mean_ms * (0.25 + 3 * rnd() * rnd()), 1) if mean_ms else ""
        elapsed += int(rt or 1500) + 15
        seen = [{"page_index": 0, "viewing_time": rt}] if kind == "instructions" else ""
        seen, response = (d and json.dumps(d, separators=(",", ":")) for d in (seen, response))
        rows.append([kind, len(rows), elapsed, subject, batch, rt, seen, response, *tail])

    page("pavlovia", 0)
    page("external-html", 20000)
    for workers in ["Your own."] * (who in QUIZ_RETRY) + ["100 crowdsourced workers."]:
        page("instructions", 90000)
        page("survey-multi-choice", 12000, {"Q0": "The most likely category, or categories, of an image and the "
             "associated probability of the selected categories.", "Q1": workers})
    page("instructions", 3000)
    page("preload", 0)
    shown = [items[i] for i in shuffled(range(batch * BATCH, (batch + 1) * BATCH))]
    said = [careless(t) if who == CARELESS else careful(who, t, item, style) for t, item in enumerate(shown)]
    trials = [("spec_conf", item, r) for item, r in zip(shown, said)]
    trials += [("rerun_spec_conf", shown[t], again(who, t, said[t])) for t in REPEATED]
    for task, item, r in trials[:11] if who == UNFINISHED else trials:
        form = {"classSelect": "mostProb" + r.first, "prob": r.p,
                "classSelect2": "secondProb" + (r.second or "No"), "prob2": r.q}
        form.update(("improbClassSelect" + c, "1") for c in order if c in r.no)
        name = f"cifar10_train_{item.id}_{item.truth}.png"
        page("survey-html-form", 40000, form, (name, task, item.truth, f"{item.id}.0"))
    if who != UNFINISHED:
        page("survey-text", 60000, {"Q0": "", "Q1": ""})
    return rows


def vote(worker, item):
    """Most workers are right as often as the item is clear; a few are of little or no use."""
    wrong = item.other if rnd() < 0.8 else pick(CLASSES)
    answer = item.truth if rnd() < item.clarity * (0.55 if worker in (33, 34, 35) else 0.97) else wrong
    if worker == 7:
        return pick(CLASSES)
    if worker == 28 and rnd() < 0.85:
        return {"Cat": "Dog", "Dog": "Cat"}.get(answer, answer)
    return "Bird" if worker == 19 else answer


def make_votes(items):
    load, rows = [0] * N_PEOPLE, []
    for item in items:
        free = sorted((load[w], rnd(), w) for w in range(N_PEOPLE))  # the least busy first
        for w in sorted(w for _, _, w in free[:VOTES_PER_ITEM]):
            load[w] += 1
            rows.append([item.id, f"w{w:02}", vote(w, item)])
    return rows


def to_csv(header, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header.split(","), *rows])
    return out.getvalue()


def main(check):
    here = pathlib.Path(__file__).resolve().parent
    items = [make_item(i) for i in range(N_ITEMS)]
    sessions = [session(who, items) for who in range(N_PEOPLE)]
    rows = [row for s in sessions + [sessions[TWICE]] for row in s]
    files = {"survey.csv": to_csv(",trial_type,trial_index,time_elapsed,subject,condition,rt,view_history,response,"
                                  "filename,task,label,img_id", [[n, *row] for n, row in enumerate(rows)]),
             "votes.csv": to_csv("item,worker,label", make_votes(items)),
             "truth.csv": to_csv("item,truth", [[i.id, i.truth] for i in items])}
    story = {"careless": CARELESS, "stored twice": TWICE, "unfinished": UNFINISHED}
    table = summary(*files.values(), story)
    print(table, end="")
    if not check:
        for name, text in files.items():
            (here / name).write_bytes(text.encode())
        return 0
    held = {name: (here / name).read_bytes().decode() for name in [*files, "README.md"] if (here / name).exists()}
    stale = [name for name, text in files.items() if held.get(name) != text]
    stale += ["README.md"] * (table not in held.get("README.md", ""))
    if stale:
        print("generate.py: not as generated:", *stale, file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(check=len(sys.argv) > 1))
