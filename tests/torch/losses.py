#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the losses of the first 20 steps of `softlabel train` with PyTorch's, from the same weights, on the same batch, with the
same optimiser, and reports in TAP.

    losses.py SOFTLABEL [MODEL...]

The weights go in as a safetensors file that PyTorch has written, and the trained ones come out as one that it reads."""
import csv
import json
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow
import pyarrow.parquet
import torch
from safetensors.torch import load_file, save_file

import models

STEPS, ROWS, CLASSES = 20, 32, 10
OPTIMISERS = {
    'sgd': (['--optimiser', 'sgd', '--momentum', '0.9', '--nesterov', 'yes', '--weight-decay', '1e-4', '--clip', '1'],
            lambda p, rate: torch.optim.SGD(p, rate, momentum=0.9, nesterov=True, weight_decay=1e-4)),
    'adam': (['--optimiser', 'adam', '--weight-decay', '1e-4'], lambda p, rate: torch.optim.Adam(p, rate, weight_decay=1e-4)),
    'adamw': (['--optimiser', 'adamw', '--weight-decay', '0.01'], lambda p, rate: torch.optim.AdamW(p, rate, weight_decay=0.01)),
}
# Rates at which 20 steps in single precision stay together: what differs in the last digit grows with each step. At ten times the rate
# PyTorch's own losses in single and in double precision are 4e-4 apart (resnet34a).
CASES = [('mlp:64', 'sgd', 0.05), ('mlp:64', 'adam', 1e-3), ('mlp:64', 'adamw', 1e-3), ('resnet34a', 'sgd', 0.001),
         ('vgg11', 'sgd', 0.001), ('preact-resnet18', 'sgd', 0.001)]


def write_tables(folder, images, target):
    names = [f'c{k}' for k in range(CLASSES)]
    items = [f'i{i}' for i in range(ROWS)]

    def write(name, kind, columns):
        metadata = {'softlabel.table': kind, 'softlabel.classes': json.dumps(names)}
        table = pyarrow.table({'item': items, **columns}).replace_schema_metadata(metadata)
        pyarrow.parquet.write_table(table, f'{folder}/{name}.parquet')

    write('x', 'features', {'x': pyarrow.FixedShapeTensorArray.from_numpy_ndarray(images)})
    label = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(target.ravel().astype(np.float64)), CLASSES)
    write('labels', 'labels', {'label': label, 'weight': np.ones(ROWS)})


def torch_losses(model, images, target, optimiser, clip):
    losses = []
    model.train()
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = -(target * torch.log_softmax(model(images), 1)).sum(1).mean()
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimiser.step()
        losses.append(loss.item())
    return losses


def one_case(program, name, kind, rate, folder):
    """The largest relative difference of the losses, and of the trained weights, by length."""
    generator = np.random.default_rng(3)
    images = generator.integers(0, 256, size=(ROWS, 3, 32, 32), dtype=np.uint8)
    target = generator.dirichlet(np.full(CLASSES, 0.3), size=ROWS).astype(np.float32)
    target /= target.sum(1, keepdims=True)
    write_tables(folder, images, target)
    torch.manual_seed(4)
    model = models.make(name, CLASSES)
    save_file({k: v for k, v in model.state_dict().items() if not k.endswith('num_batches_tracked')}, f'{folder}/init.safetensors')
    arguments, make = OPTIMISERS[kind]
    subprocess.run([program, 'train', '-q', '--features', f'{folder}/x.parquet', '--model', name, '--init', f'{folder}/init.safetensors',
                    '--epochs', str(STEPS), '--batch', str(ROWS), '--schedule', 'constant', '--normalise', 'none', '--lr', str(rate),
                    *arguments, f'{folder}/labels.parquet', '--log', f'{folder}/log.csv', '-o', f'{folder}/m.safetensors'], check=True)
    with open(f'{folder}/log.csv', newline='', encoding='utf-8') as file:
        ours = [float(row['loss']) for row in csv.DictReader(file)]
    x = torch.from_numpy(images).float() / 255
    theirs = torch_losses(model, x, torch.from_numpy(target), make(model.parameters(), rate), 1 if kind == 'sgd' else 0)
    worst = max(abs(a - b) / b for a, b in zip(ours, theirs, strict=True))
    trained = load_file(f'{folder}/m.safetensors')
    parameters = dict(model.named_parameters())
    apart = sum(float((trained[k] - v.detach()).square().sum()) for k, v in parameters.items())
    whole = sum(float(v.detach().square().sum()) for v in parameters.values())
    model.load_state_dict(trained, strict=False)
    return worst, (apart / whole) ** 0.5


def main():
    torch.set_num_threads(2)
    wanted = sys.argv[2:]
    cases = [case for case in CASES if not wanted or case[0] in wanted]
    print(f'1..{len(cases)}', flush=True)
    failed = False
    for number, (name, kind, rate) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            worst, apart = one_case(sys.argv[1], name, kind, rate, folder)
        good = worst < 1e-4 and apart < 1e-3
        failed |= not good
        print('ok' if good else 'not ok', number, '-', name, kind, flush=True)
        print(f'# losses differ by {worst:.1e}, weights by {apart:.1e}', flush=True)
    return failed


if __name__ == '__main__':
    sys.exit(main())
