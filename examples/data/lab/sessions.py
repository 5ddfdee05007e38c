#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes answers/: sessions of ten imaginary people, as the page of `softlabel survey` hands them out.

    softlabel survey --classes classes.txt --items messages.csv --batch 14 --seed 11 --list --annotators 10 | python3 sessions.py

p04 types percents that cannot be, p07 stops early, and the file of p02 is there twice, as a browser downloads it again."""
import csv
import random
import sys
from pathlib import Path

CLASSES = ['complaint', 'question', 'praise']
here = Path(__file__).resolve().parent
gold = {row['item']: row['gold'] for row in csv.DictReader(open(here / 'messages.csv', encoding='utf-8'))}
rng = random.Random(11)
DOUBTFUL = {'m04': 'complaint question', 'm08': 'complaint praise', 'm10': 'question complaint', 'm13': 'praise complaint', 'm17': 'complaint praise',
            'm21': 'complaint question'}


def answer(row, careless):
    classes = DOUBTFUL.get(row['item'], f'{gold[row["item"]]} ').split(' ')
    if len(classes) == 2 and classes[1] and rng.random() < .35:
        classes.reverse()
    first, second = classes[0], classes[1]
    percent = rng.choice([60, 65, 70, 75, 80]) if second else rng.choice([85, 90, 95, 100])
    third = next(c for c in CLASSES if c not in (first, second))
    cells = {'class': first, 'percent': str(percent), 'class2': second, 'percent2': str(rng.choice([20, 100 - percent])) if second else '',
             'impossible': third if rng.random() < .6 else '', 'odd': ''}
    if careless and rng.random() < .5:
        cells.update(percent='150', impossible=first, odd='percent-out-of-range|first-ruled-out')
    return cells


people = {}
for row in csv.DictReader(sys.stdin):
    people.setdefault(row['annotator'], []).append(row)
for name, rows in people.items():
    person, number = f'p{int(name):02d}', int(name)
    session = f'{rng.getrandbits(64):016x}'
    rows = rows[:5] if number == 7 else rows
    written = []
    for row in rows:
        cells = answer(row, number == 4)
        seconds = round(rng.lognormvariate(2.2, .4), 3)
        written.append({'study': '5e55105e55105e55', 'session': session, 'annotator': person, 'batch': row['batch'], 'trial': row['trial'],
                        'classes': '|'.join(CLASSES) if row['trial'] == '1' else '', 'item': row['item'],
                        **{k: cells[k] for k in ('class', 'percent', 'class2', 'percent2', 'impossible')},
                        'gold': gold[row['item']], 'repeat': str(int(row['kind'] == 'repeat')), 'check': '0', 'complete': str(int(number != 7)),
                        'seconds': str(seconds), 'background': '0', 'odd': cells['odd'], 'reloads': '0'})
    for copy in ('', ' (1)')[:2 if number == 2 else 1]:
        with open(here / 'answers' / f'softlabel-5e55105e55105e55-{person}-{rows[0]["batch"]}{copy}.csv', 'w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, list(written[0]), lineterminator='\n')
            writer.writeheader()
            writer.writerows(written)
