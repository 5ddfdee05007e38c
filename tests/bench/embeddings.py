#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning from embeddings, from the file to the model, beside PyTorch and scikit-learn.

    embeddings.py SOFTLABEL [--rows 100000] [--numbers 768] [--epochs 5] [--batch 128] [--threads 2] [--rounds 3] [--models softmax,mlp:128]

Each reads the same table of features and table of labels (Parquet) and makes as many passes: softlabel, and PyTorch on the same batches with
the same optimiser, loss and schedule, by Adam; scikit-learn's MLPClassifier by Adam, its LogisticRegression by as many iterations of L-BFGS.
Softlabel is timed as a whole process, a peer from when its imports are done, without writing a model. A line has the median of the
rounds, by the clock and in processor time, and the accuracy on what was learned from."""
import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pyarrow
import pyarrow.parquet

CLASSES = 10


def make(folder, rows, numbers):
    generator = np.random.default_rng(5)
    gold = generator.integers(CLASSES, size=rows)
    centres = generator.normal(size=(CLASSES, numbers)).astype(np.float32) * 0.1
    x = centres[gold] + generator.standard_normal(size=(rows, numbers), dtype=np.float32)
    label = 0.9 * np.eye(CLASSES)[gold] + 0.1 * generator.dirichlet(np.ones(CLASSES), size=rows)
    classes = [f'c{k}' for k in range(CLASSES)]
    items = pyarrow.array([f'i{i}' for i in range(rows)])

    def write(name, kind, columns):
        metadata = {'softlabel.table': kind, 'softlabel.classes': json.dumps(classes)}
        table = pyarrow.table({'item': items, **columns}).replace_schema_metadata(metadata)
        pyarrow.parquet.write_table(table, f'{folder}/{name}.parquet', row_group_size=16384)

    write('x', 'features', {'x': pyarrow.FixedShapeTensorArray.from_numpy_ndarray(x)})
    write('labels', 'labels', {'label': pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(label.ravel()), CLASSES),
                               'weight': np.ones(rows)})


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def read(folder):
    x = pyarrow.parquet.read_table(f'{folder}/x.parquet')['x'].combine_chunks()
    label = pyarrow.parquet.read_table(f'{folder}/labels.parquet')['label'].combine_chunks().flatten().to_numpy()
    return x.to_numpy_ndarray(), label.reshape(-1, CLASSES).astype(np.float32)


def hidden(name):
    return [int(size) for size in name.split(':')[1].split(',')] if ':' in name else []


def with_torch(options, name):
    import torch
    warnings.simplefilter('ignore')  # of arrays that are only read
    torch.set_num_threads(options.threads)
    start, cpu = time.perf_counter(), processor()
    x, label = (torch.from_numpy(array) for array in read(options.folder))
    mean, deviation = x.mean(0), x.std(0)
    sizes = [x.shape[1], *hidden(name), CLASSES]
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    optimiser = torch.optim.Adam(model.parameters(), 0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, options.epochs)
    right = 0
    for _ in range(options.epochs):
        right, order = 0, torch.randperm(len(x))
        for which in order.split(options.batch):
            optimiser.zero_grad()
            logits = model((x[which] - mean) / deviation)
            loss = torch.nn.functional.cross_entropy(logits, label[which])
            loss.backward()
            optimiser.step()
            right += int((logits.argmax(1) == label[which].argmax(1)).sum())
        schedule.step()
    return time.perf_counter() - start, processor() - cpu, right / len(x)


def with_sklearn(options, name):
    import threadpoolctl
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    warnings.simplefilter('ignore')
    with threadpoolctl.threadpool_limits(options.threads):
        start, cpu = time.perf_counter(), processor()
        x, label = read(options.folder)
        x = (x - x.mean(0)) / x.std(0)
        classes = label.argmax(1)
        if hidden(name):
            model = MLPClassifier(hidden(name), batch_size=options.batch, learning_rate_init=0.01, max_iter=options.epochs, alpha=0)
        else:
            model = LogisticRegression(max_iter=options.epochs)
        model.fit(x, classes)
        clock, cpu = time.perf_counter() - start, processor() - cpu
        return clock, cpu, model.score(x, classes)


def with_softlabel(options, name):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([options.softlabel, 'train', '-q', '-j', str(options.threads), '--features', f'{options.folder}/x.parquet', '--model', name,
                    '--epochs', str(options.epochs), '--batch', str(options.batch), f'{options.folder}/labels.parquet', '--log',
                    f'{options.folder}/log.csv', '-o', f'{options.folder}/m.safetensors'], check=True)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(f'{options.folder}/log.csv', encoding='utf-8') as file:
        accuracy = float(file.readlines()[-1].split(',')[4])
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, accuracy


WAYS = {'softlabel': with_softlabel, 'PyTorch': with_torch, 'scikit-learn': with_sklearn}


def bench(options):
    print(f'{options.rows} x {options.numbers} float32, {options.epochs} epochs, batches of {options.batch}, {options.threads} threads')
    for name in options.models.split(','):
        seconds = {}
        for way in WAYS:
            runs = []
            for _ in range(options.rounds):
                command = [sys.executable, __file__, options.softlabel, *sys.argv[2:], '--folder', options.folder, '--way', way, '--models', name]
                output = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
                runs.append([float(x) for x in re.findall(r'[\d.]+', output)])
            clock, cpu, accuracy, memory = (statistics.median(run[i] for run in runs) for i in range(4))
            seconds[way] = clock, cpu
            ratios = '' if way == 'softlabel' else ''.join(f' {a / b:6.2f} x' for a, b in zip(seconds[way], seconds['softlabel']))
            print(f'{name:10} {way:13} {clock:7.2f} s, processor {cpu:7.2f} s, {memory:6.0f} MB, accuracy {accuracy:.3f} {ratios}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('softlabel')
    for name, value in (('rows', 100000), ('numbers', 768), ('epochs', 5), ('batch', 128), ('threads', 2), ('rounds', 3)):
        parser.add_argument('--' + name, type=int, default=value)
    parser.add_argument('--models', default='softmax,mlp:128')
    parser.add_argument('--folder', help=argparse.SUPPRESS)
    parser.add_argument('--way', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        figures = WAYS[options.way](options, options.models)
        who = resource.RUSAGE_CHILDREN if options.way == 'softlabel' else resource.RUSAGE_SELF
        print(*figures, resource.getrusage(who).ru_maxrss / 1e3)
        return
    with tempfile.TemporaryDirectory() as options.folder:
        make(options.folder, options.rows, options.numbers)
        bench(options)


main()
