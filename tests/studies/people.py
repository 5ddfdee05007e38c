#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether simulated people differ from others as others do: people.py SOFTLABEL, in TAP.

CIFAR-10S's annotators are cut in two halves, ten times. A simulator is fitted to either half, answers for as many annotators about as many
items, and is held against the other half by `simulate compare`; so is the half that it was fitted to. The table of docs/methods.md."""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile

CLASSES = 'Airplane,Automobile,Bird,Cat,Deer,Dog,Frog,Horse,Ship,Truck'
SPLITS = 10
# How far the mean over all halves may be from people.
BOUNDS = {'sum_100': .05, 'sum_above_100': .05, 'r.first_second': .08, 'r.first_alternatives': .08,
          'sd.certain': .04, 'sd.second': .04, 'sd.alternatives': .04, 'sd.seconds': .08, 'again.class': .05, 'again.percent': .03,
          'r.trial_first': .05, 'r.trial_seconds': .05}


def softlabel(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def compare(*tables):
    rows = csv.DictReader(io.StringIO(softlabel('simulate', 'compare', *tables, '--format', 'csv')))
    return {row['metric'] + row['group'].replace('table=', '.'): float(row['value']) for row in rows if row['value']}


def half(people, others, name):
    """The answers of all PEOPLE but OTHERS."""
    with open('others.txt', 'w', encoding='utf-8') as file:
        file.write('\n'.join(others) + '\n')
    softlabel('exclude', '-q', '--max-violations', 'range=99,impossible=99,missing=99', '--annotators', 'others.txt', people, '-o', name)


def study(data, found):
    softlabel('ingest', '--from', 'counts', '--classes', CLASSES, f'{data}/cifar10h/cifar10h-counts.npy', '-o', 'all.parquet')
    softlabel('ingest', '-q', '--from', 'jspsych', '--replace-percent', '8p=80', f'{data}/cifar10s/raw_human_data.csv', '-o', 'people.parquet')
    softlabel('select', '--items', 'people.parquet', 'all.parquet', '-o', 'votes.parquet')
    rows = csv.DictReader(io.StringIO(softlabel('cat', 'people.parquet', '--format', 'csv')))
    names = sorted({row['annotator'] for row in rows})
    for split in range(SPLITS):
        random.Random(split).shuffle(names)
        middle = len(names) // 2
        half('people.parquet', names[middle:], 'a.parquet')
        half('people.parquet', names[:middle], 'b.parquet')
        for fitted, other in (('a', 'b'), ('b', 'a')):
            for joint, step in (('answers', 0), ('none', 5)):
                softlabel('simulate', 'fit', '-q', '--joint', joint, '--entropy-from', 'all.parquet', f'{fitted}.parquet', '-o', 'fit.parquet')
                softlabel('simulate', 'elicit', '--model', 'fit.parquet', '--seed', split, '--annotators', middle, '--answers-per-item', 3,
                          '--round', step, *(['--study'] if joint == 'answers' else []), 'votes.parquet', '-o', 'simulated.parquet')
                found.append((joint, compare(f'{other}.parquet', 'simulated.parquet')))
            found.append(('people', compare(f'{other}.parquet', f'{fitted}.parquet')))


def main():
    data = os.environ.get('SOFTLABEL_DATA', '')
    if not os.path.exists(f'{data}/cifar10s/raw_human_data.csv'):
        print('1..0 # SKIP CIFAR-10S is not there')
        return
    found = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        study(data, found)
        os.chdir('/')
    of = {how: [figures for which, figures in found if which == how] for how in ('people', 'answers', 'none')}

    def mean(how, metric):
        return sum(figures[metric] for figures in of[how]) / len(of[how])

    def apart(how, metric):
        return sum(abs(figures[metric]) for figures in of[how]) / len(of[how])

    failed = False
    print(f'1..{len(BOUNDS) + 1}')
    print(f'# {"":22}people  joint  by parts; mean distance from the half left out: people  joint  by parts')
    for number, (metric, most) in enumerate(BOUNDS.items(), 1):
        told = [how for how in of if f'{metric}.first' in of[how][0]]
        values = [mean(how, f'{metric}.first' if how == 'people' else f'{metric}.second') for how in told]
        print(f'# {metric:22}' + '  '.join(f'{value:.3f}' for value in values) + '; '
              + '  '.join(f'{apart(how, metric + ".first - second"):.3f}' for how in told) + '; of the size to be expected: '
              + '  '.join(f'{apart(how, metric + ".first - second") / mean(how, metric + ".expected"):.2f}' for how in told))
        far = abs(values[1] - values[0]) > most
        failed |= far
        print('not ' * far + f'ok {number} - {metric} is as people have it, within {most}')
    shares = [sum(figures['joint.distance'] for figures in of[how]) / sum(figures['joint.expected'] for figures in of[how]) for how in of]
    print('# energy distance, of what is expected: ' + '  '.join(f'{share:.2f}' for share in shares))
    failed |= shares[1] > 2
    print('not ' * (shares[1] > 2) + f'ok {len(BOUNDS) + 1} - whole answers are as near as those of other people')
    sys.exit(failed)


PROGRAM = os.path.abspath(sys.argv[1])
main()
