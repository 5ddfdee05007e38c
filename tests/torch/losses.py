#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the losses of the first 20 steps of `softlabel train` with PyTorch's, from the same weights, on the same batch, with the
same optimiser, and reports in TAP.

    losses.py SOFTLABEL [MODEL...]

The weights go in as a safetensors file that PyTorch has written, and the trained ones come out as one that it reads.

What single precision leaves out grows from step to step, the faster the higher the rate. So at low rates our losses are PyTorch's to 1e-4,
and at ten times the rate the judge is PyTorch in double precision: we may stray from it about as far as PyTorch in single precision does."""
import copy
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
    'radam': (['--optimiser', 'radam', '--weight-decay', '1e-4'], lambda p, rate: torch.optim.RAdam(p, rate, weight_decay=1e-4)),
    'adamw': (['--optimiser', 'adamw', '--weight-decay', '0.01'], lambda p, rate: torch.optim.AdamW(p, rate, weight_decay=0.01)),
}
# With their rates, and whether the judge is asked.
CASES = [('mlp-bn:64', 'adam', 1e-3, False), ('mlp:64', 'sgd', 0.05, False), ('mlp:64', 'adam', 1e-3, False), ('mlp:64', 'adamw', 1e-3, False), ('mlp:64', 'radam', 1e-3, False), ('resnet34a', 'sgd', 1e-3, False),
         ('vgg11', 'sgd', 1e-3, False), ('preact-resnet18', 'sgd', 1e-3, False), ('resnet34a', 'sgd', 0.01, True), ('vgg11', 'sgd', 0.01, True)]
# Losses of single answers: PyTorch's, of logits, of what is learned of annotators and of whose answers are what, and how that begins.
PEOPLE, WEIGHT = 5, 1e-3
# The largest of 20 differences is a draw: of two runs alike it was seen to differ by half.
ALIKE = 4


def crowd_layer(z, w, who, what):
    return -torch.log_softmax((torch.softmax(z, 1)[:, :, None] * w[who]).sum(1), 1)[range(len(what)), what].sum()


def geo_reg(z, v, who, what):
    log_p = torch.log_softmax(z, 1)
    heard = torch.logsumexp(log_p[:, :, None] + torch.log_softmax(v[who], 2), 1)
    p = log_p[::ANSWERS].exp()
    return -heard[range(len(what)), what].sum() - len(what) * WEIGHT * torch.logdet(p.T @ p)


def union(z, v, who, what):
    t = torch.softmax(v.reshape(PEOPLE * CLASSES, CLASSES), 0).reshape(PEOPLE, CLASSES, CLASSES)
    heard = (t[who] * torch.softmax(z, 1)[:, None, :]).sum(2)
    return -heard.log()[range(len(what)), what].sum()


EYE = torch.eye(CLASSES)
ANSWERS = 3
SINGLE = {'crowd': (crowd_layer, EYE), 'geo-reg-f': (geo_reg, EYE),
          'union': (union, (1 - 1e-5) * EYE + 1e-5 / (CLASSES - 1) * (1 - EYE))}


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
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimiser.step()
        losses.append(loss.item())
    return losses


def single_answers(program, loss, folder):
    """Three answers an item, of a loss that learns of annotators: whether all is well, and the figures."""
    generator = np.random.default_rng(5)
    x = generator.normal(size=(ROWS, 12)).astype(np.float32)
    what = generator.integers(0, CLASSES, size=(ROWS, ANSWERS))
    who = np.argsort(generator.random((ROWS, PEOPLE)), 1)[:, :ANSWERS]
    write_tables(folder, x, np.full((ROWS, CLASSES), 1 / CLASSES))
    classes = json.dumps([f'c{k}' for k in range(CLASSES)])
    table = pyarrow.table({'item': np.repeat([f'i{i}' for i in range(ROWS)], ANSWERS), 'annotator': [f'p{r}' for r in who.ravel()],
                           'class': [f'c{k}' for k in what.ravel()]})
    table = table.replace_schema_metadata({'softlabel.table': 'annotations', 'softlabel.classes': classes})
    pyarrow.parquet.write_table(table, f'{folder}/labels.parquet')
    torch.manual_seed(6)
    model = torch.nn.Sequential(torch.nn.Linear(12, CLASSES))
    save_file({'linear.weight': model[0].weight.detach(), 'linear.bias': model[0].bias.detach()}, f'{folder}/init.safetensors')
    ours = our_losses(program, 'softmax', 'adam', 0.01, folder, '--loss', loss, '--volume-weight' if loss == 'geo-reg-f' else '--batch',
                      str(WEIGHT) if loss == 'geo-reg-f' else str(ROWS))
    function, begin = SINGLE[loss]
    v = torch.nn.Parameter(begin.repeat(PEOPLE, 1, 1))
    optimiser = torch.optim.Adam([{'params': model.parameters(), 'weight_decay': 1e-4}, {'params': [v]}], 0.01)
    theirs = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        z = model(torch.from_numpy(x)).repeat_interleave(ANSWERS, 0)
        value = function(z, v, torch.from_numpy(who.ravel()), torch.from_numpy(what.ravel())) / ROWS
        value.backward()
        optimiser.step()
        theirs.append(value.item())
    differ = apart(ours, theirs)
    return differ < 1e-5, f'losses differ by {differ:.1e}'


def our_losses(program, name, kind, rate, folder, *more):
    subprocess.run([program, 'train', '-q', '--features', f'{folder}/x.parquet', '--model', name, '--init', f'{folder}/init.safetensors',
                    '--epochs', str(STEPS), '--batch', str(ROWS), '--schedule', 'constant', '--normalise', 'none', '--lr', str(rate),
                    *OPTIMISERS[kind][0], *more, f'{folder}/labels.parquet', '--log', f'{folder}/log.csv', '-o', f'{folder}/m.safetensors'],
                   check=True)
    with open(f'{folder}/log.csv', newline='', encoding='utf-8') as file:
        return [float(row['loss']) for row in csv.DictReader(file)]


def apart(losses, others):
    return max(abs(a - b) / b for a, b in zip(losses, others, strict=True))


def weights_apart(model, trained):
    """By length; and that what we have written fits into PyTorch's model."""
    parameters = {key: value.detach() for key, value in model.named_parameters()}
    square = sum(float((trained[key] - value).square().sum()) for key, value in parameters.items())
    whole = sum(float(value.square().sum()) for value in parameters.values())
    model.load_state_dict(trained, strict=False)
    return (square / whole) ** 0.5


def one_case(program, name, kind, rate, judged, folder):
    """Whether all is well, and the figures."""
    generator = np.random.default_rng(3)
    images = generator.integers(0, 256, size=(ROWS, 3, 32, 32), dtype=np.uint8)
    target = generator.dirichlet(np.full(CLASSES, 0.3), size=ROWS).astype(np.float32)
    target /= target.sum(1, keepdims=True)
    write_tables(folder, images, target)
    torch.manual_seed(4)
    model = models.make(name, CLASSES)
    double = copy.deepcopy(model).double()
    save_file({k: v for k, v in model.state_dict().items() if not k.endswith('num_batches_tracked')}, f'{folder}/init.safetensors')
    ours = our_losses(program, name, kind, rate, folder)
    x, target, clip = torch.from_numpy(images).float() / 255, torch.from_numpy(target), kind == 'sgd'
    make = OPTIMISERS[kind][1]
    theirs = torch_losses(model, x, target, make(model.parameters(), rate), clip)
    if not judged:
        losses, weights = apart(ours, theirs), weights_apart(model, load_file(f'{folder}/m.safetensors'))
        return losses < 1e-4 and weights < 1e-3, f'losses differ by {losses:.1e}, weights by {weights:.1e}'
    exact = torch_losses(double, x.double(), target.double(), make(double.parameters(), rate), clip)
    we, they = apart(ours, exact), apart(theirs, exact)
    return we < max(1e-4, ALIKE * they), f'losses are {we:.1e} from those of double precision, PyTorch in single precision {they:.1e}'


def main():
    torch.set_num_threads(2)
    wanted = sys.argv[2:]
    cases = [case for case in CASES if not wanted or case[0] in wanted]
    single = [loss for loss in SINGLE if not wanted or loss in wanted]
    print(f'1..{len(cases) + len(single)}', flush=True)
    failed = False
    for number, case in enumerate([*cases, *single], 1):
        with tempfile.TemporaryDirectory() as folder:
            good, figures = single_answers(sys.argv[1], case, folder) if case in SINGLE else one_case(sys.argv[1], *case, folder)
        failed |= not good
        print('ok' if good else 'not ok', number, '-', case if case in SINGLE else '{} {} at {}'.format(*case), flush=True)
        print('#', figures, flush=True)
    return failed


if __name__ == '__main__':
    sys.exit(main())
