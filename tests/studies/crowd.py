#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What training on a crowd's answers is worth, on made data whose truth is known: crowd.py SOFTLABEL, in TAP.

Items are points of a Gaussian mixture, a component a class. Three annotators of a crowd, of whom many guess, answer each of 1,500 of them,
and a network learns from the answers: from their majority, one class an item; from their mean; from the posterior of Dawid and Skene's
model; from every single answer through a crowd layer; and, as a bound, from the truth. It is scored on 2,000 other points.

What each of the crowd would answer about 200 of those is known, too: predictions of them one by one are compared with that, and so is what all
of them answer in the mean. There, accuracy is how much of the distributions is alike.

Of another crowd, half of whom come from a place where four items in ten are taken for the next class, some are strangers to the model: what they
answer is predicted with that attribute and without."""
import csv
import json
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow
import pyarrow.parquet

SEEDS, TRAIN, TEST, CLASSES, NUMBERS = 4, 1500, 2000, 5, 16
PLACES = {'north': (0.8, 0, 0.2), 'south': (0.5, 0.4, 0.1)}  # right, the next class, any
CROWD = 'reliable=0.3:0.85,spammer=0.4,one-class=0.1,pair-flipper=0.2:0.6'


def softlabel(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True)


def write(name, kind, columns):
    metadata = {'softlabel.table': kind, 'softlabel.classes': json.dumps([f'c{k}' for k in range(CLASSES)])}
    pyarrow.parquet.write_table(pyarrow.table(columns).replace_schema_metadata(metadata), name)


def make_data(folder, seed):
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(CLASSES, NUMBERS)) * 0.75
    truth = generator.integers(CLASSES, size=TRAIN + TEST)
    x = (centres[truth] + generator.normal(size=(TRAIN + TEST, NUMBERS))).astype(np.float32)
    items = [f'i{i}' for i in range(TRAIN + TEST)]
    gold = pyarrow.DictionaryArray.from_arrays(pyarrow.array(truth, pyarrow.int32()), [f'c{k}' for k in range(CLASSES)])
    for name, part in (('train', slice(0, TRAIN)), ('test', slice(TRAIN, None))):
        write(f'{folder}/{name}.parquet', 'features',
              {'item': items[part], 'x': pyarrow.FixedShapeTensorArray.from_numpy_ndarray(np.ascontiguousarray(x[part])), 'gold': gold[part]})
    one_hot = np.eye(CLASSES)[truth[:TRAIN]]
    label = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(one_hot.ravel()), CLASSES)
    write(f'{folder}/truth.parquet', 'labels', {'item': items[:TRAIN], 'label': label, 'weight': np.ones(TRAIN)})


def score(folder, seed, *labels):
    """Accuracy and cross-entropy, on the test points, of a network trained on LABELS."""
    softlabel('train', '-q', '--features', f'{folder}/train.parquet', '--model', 'mlp:32', '--epochs', 30, '--seed', seed,
              *labels, '-o', f'{folder}/m.safetensors')
    softlabel('predict', '-q', '--model', f'{folder}/m.safetensors', f'{folder}/test.parquet', '-o', f'{folder}/p.csv')
    with open(f'{folder}/p.csv', newline='', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    right = [max(range(CLASSES), key=lambda k: float(row[f'prob.c{k}'])) == int(row['gold'][1:]) for row in rows]
    return np.mean(right), -np.mean([np.log(float(row[f'prob.{row["gold"]}'])) for row in rows])


def score_people(folder, seed, loss, votes):
    """Of answers that are predicted annotator by annotator, and as those of one who is not known: what of their distribution is alike, and the
    cross-entropy, with how they do answer."""
    softlabel('train', '-q', '--features', f'{folder}/train.parquet', '--model', 'mlp-bn:32', '--loss', loss, '--seed', seed, votes,
              '-o', f'{folder}/p.safetensors')
    with open(f'{folder}/confusion.csv', newline='', encoding='utf-8') as file:
        theirs = {(row['annotator'], row['true'], row['answered']): float(row['probability']) for row in csv.DictReader(file)}
    names = sorted({key[0] for key in theirs})
    few = pyarrow.parquet.read_table(f'{folder}/test.parquet').slice(0, 200)
    pyarrow.parquet.write_table(few, f'{folder}/few.parquet')
    write(f'{folder}/nobody.parquet', 'annotators', {'annotator': ['nobody'], 'answers': [0]})
    found = []
    for who in ('--annotators', f'--annotators={folder}/nobody.parquet'):
        softlabel('predict', '-q', '--model', f'{folder}/p.safetensors', who, f'{folder}/few.parquet', '-o', f'{folder}/a.csv')
        alike, loss_of = [], []
        with open(f'{folder}/a.csv', newline='', encoding='utf-8') as file:
            for row in csv.DictReader(file):
                said = np.array([float(row[f'prob.c{k}']) for k in range(CLASSES)])
                for name in names if row['annotator'] == 'nobody' else [row['annotator']]:
                    true = np.array([theirs.get((name, row['gold'], f'c{k}'), 0) for k in range(CLASSES)])
                    alike.append(np.minimum(said, true).sum())
                    loss_of.append(-(true * np.log(said)).sum())
        found.append((np.mean(alike), np.mean(loss_of)))
    return found


def alike_with(theirs, name):
    """How much of the answers in the file NAME is as THEIRS, [annotator][true class], and the cross-entropy."""
    alike, loss_of = [], []
    with open(name, newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            said = np.array([float(row[f'prob.c{k}']) for k in range(CLASSES)])
            true = theirs[row['annotator']][int(row['gold'][1:])]
            alike.append(np.minimum(said, true).sum())
            loss_of.append(-(true * np.log(said)).sum())
    return np.mean(alike), np.mean(loss_of)


def score_strangers(folder, seed):
    """Of the answers of strangers, learned with their places and without, and of those whom the model has seen."""
    generator = np.random.default_rng(100 + seed)
    eye = np.eye(CLASSES)
    mean = {place: right * eye + after * np.roll(eye, 1, axis=1) + rest / CLASSES for place, (right, after, rest) in PLACES.items()}
    names = [f'{place}{i}' for place in PLACES for i in range(30)]
    theirs = {name: np.array([generator.dirichlet(20 * row + 0.05) for row in mean[name[:5]]]) for name in names}
    asked, strangers = [name for name in names if int(name[5:]) < 20], [name for name in names if int(name[5:]) >= 20]
    items = pyarrow.parquet.read_table(f'{folder}/train.parquet')
    with open(f'{folder}/places.csv', 'w', newline='', encoding='utf-8') as file:
        out = csv.writer(file)
        out.writerow(['item', 'annotator', 'class', 'place'])
        for item, gold in zip(items.column('item').to_pylist(), items.column('gold').to_pylist()):
            for name in generator.choice(asked, 3, replace=False):
                out.writerow([item, name, f'c{generator.choice(CLASSES, p=theirs[name][int(gold[1:])])}', name[:5]])
    softlabel('ingest', '-q', '--from', 'long', '--annotator-columns', 'place', f'{folder}/places.csv', '-o', f'{folder}/places.parquet')
    write(f'{folder}/strangers.parquet', 'annotators',
          {'annotator': strangers, 'answers': [0] * len(strangers), 'annotator.place': [name[:5] for name in strangers]})
    found = []
    for who, options in ((strangers, ['--annotator-columns', 'place']), (strangers, []), (None, ['--annotator-columns', 'place'])):
        softlabel('train', '-q', '--features', f'{folder}/train.parquet', '--model', 'mlp-bn:32', '--dropout', 0.5, '--loss', 'annot-mix', '--epochs', 20,
                  '--seed', seed, *options, f'{folder}/places.parquet', '-o', f'{folder}/m.safetensors')
        softlabel('predict', '-q', '--model', f'{folder}/m.safetensors', f'--annotators={folder}/strangers.parquet' if who else '--annotators',
                  f'{folder}/few.parquet', '-o', f'{folder}/a.csv')
        found.append(alike_with(theirs, f'{folder}/a.csv'))
    return found


def study(seed):
    with tempfile.TemporaryDirectory() as folder:
        make_data(folder, seed)
        votes = f'{folder}/votes.parquet'
        softlabel('simulate', 'crowd', '-q', '--annotators', 40, '--crowd', CROWD, '--answers-per-item', 3, '--seed', seed,
                  f'{folder}/truth.parquet', '--write-confusion', f'{folder}/confusion.csv', '-o', votes)
        for method in ('majority', 'mean', 'dawid-skene'):
            softlabel('aggregate', '-q', '--method', method, votes, '-o', f'{folder}/{method}.parquet')
        found = {method: score(folder, seed, f'{folder}/{method}.parquet') for method in ('majority', 'mean', 'dawid-skene')}
        found['crowd layer'] = score(folder, seed, '--loss', 'crowd', votes)
        for loss in ('geo-reg-f', 'annot-mix'):
            found[f'{loss}: one by one'], found[f'{loss}: as one'] = score_people(folder, seed, loss, votes)
        found['strangers, by place'], found['strangers, as all'], found['no strangers'] = score_strangers(folder, seed)
        found['truth'] = score(folder, seed, '--targets', 'gold')
        return found


def better(found, a, b, which):
    """How much better A is than B, on average over the seeds, and how many standard errors that is."""
    sign = 1 if which == 0 else -1
    gain = [sign * (one[a][which] - one[b][which]) for one in found]
    return np.mean(gain), np.mean(gain) / (np.std(gain, ddof=1) / len(gain) ** 0.5)


PROGRAM = sys.argv[1]
CHECKS = [('dawid-skene', 'majority', 0), ('dawid-skene', 'majority', 1), ('mean', 'majority', 0), ('crowd layer', 'majority', 0),
          ('crowd layer', 'majority', 1), ('truth', 'dawid-skene', 0),
          *((f'{loss}: one by one', f'{loss}: as one', which) for loss in ('geo-reg-f', 'annot-mix') for which in (0, 1)),
          *(('strangers, by place', 'strangers, as all', which) for which in (0, 1))]
runs = [study(seed) for seed in range(SEEDS)]
print(f'1..{len(CHECKS)}')
failed = False
for name in runs[0]:
    accuracy, entropy = np.mean([run[name] for run in runs], axis=0)
    print(f'# {name}: accuracy {accuracy:.3f}, cross-entropy {entropy:.3f}, over {SEEDS} seeds')
for number, (a, b, which) in enumerate(CHECKS, 1):
    gain, errors = better(runs, a, b, which)
    good = gain > 0 and errors > 3
    failed |= not good
    print('ok' if good else 'not ok', number, f"- {a} beats {b} in {('accuracy', 'cross-entropy')[which]}")
    print(f'# by {gain:.3f}, {errors:.1f} standard errors')
sys.exit(failed)
