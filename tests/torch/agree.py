#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares softlabel's networks with PyTorch's, from the same weights, and reports in TAP.

    agree.py DRIVER [MODEL...]

Logits outside of training and in training, gradients with respect to all parameters and to the
input, and running statistics, each against PyTorch's in float64. PyTorch's own in float32 are
compared as well: where a number near 0 falls on the other side of a ReLU, a gradient jumps."""
import copy
import subprocess
import sys

import numpy as np
import torch

import models

CLASSES, BATCH = 10, 8


def driver(path, *arguments, data=b''):
    done = subprocess.run([path, *map(str, arguments)], input=data, stdout=subprocess.PIPE, check=True)
    return done.stdout


def randomise(model, seed):
    """Weights of a size that keeps values in range; running statistics that are no 0 and 1."""
    generator = torch.Generator().manual_seed(seed)
    for name, tensor in model.state_dict().items():
        if 'running_var' in name:
            tensor.uniform_(0.5, 1.5, generator=generator)
        elif 'running_mean' in name or tensor.dim() == 1 and name.endswith('bias'):
            tensor.uniform_(-0.2, 0.2, generator=generator)
        elif tensor.dim() == 1:
            tensor.uniform_(0.5, 1.5, generator=generator)
        elif tensor.dim() > 1:
            tensor.normal_(0, (2 / tensor[0].numel()) ** 0.5, generator=generator)


def distance(ours, truth):
    """The length of the difference between lists of arrays, relative to the length of TRUTH."""
    square = sum(float(np.square(a - b).sum()) for a, b in zip(ours, truth))
    return (square / sum(float(np.square(b).sum()) for b in truth)) ** 0.5


def results(model, names, x, gradient):
    """By name: the logits outside of training and in training, running statistics, gradients."""
    model.eval()
    found = {'logits of prediction': model(x)}
    model.train()
    x = x.clone().requires_grad_(True)
    found['logits of training'] = model(x)
    found['logits of training'].backward(gradient)
    parameters, state = dict(model.named_parameters()), model.state_dict()
    for key in names:
        found[key] = parameters[key].grad if key in parameters else state[key]
    found['input'] = x.grad
    return {key: tensor.detach().numpy().ravel() for key, tensor in found.items()}


def parts_in_order(parts, names, exact):
    """What the driver gave, in the order of EXACT: of a parameter its gradient, of a running
    statistic what training made of it."""
    for key in exact:
        if key.startswith('logits'):
            yield parts[0 if 'prediction' in key else 1]
        elif key == 'input':
            yield parts[-1]
        else:
            yield parts[2 + names.index(key) + (len(names) if 'running' in key else 0)]


def compare(path, name, vector):
    shape = (24, 1, 1) if vector else (3, 32, 32)
    torch.manual_seed(1)
    model = models.make(name, CLASSES, int(np.prod(shape)))
    randomise(model, 1)
    lines = driver(path, 'names', name, CLASSES, *shape).decode().splitlines()
    names = [line.split()[0] for line in lines]
    state = model.state_dict()
    ours = {name for name in names}
    theirs = {key for key in state if 'num_batches' not in key}
    if ours != theirs:
        return [f'names differ: {sorted(ours ^ theirs)[:6]}'], ''
    for line in lines:
        key, *dims = line.split()
        if list(state[key].shape) != [int(dim) for dim in dims]:
            return [f'{key} is {dims} and not {list(state[key].shape)}'], ''
    x = torch.rand(BATCH, *shape, generator=torch.Generator().manual_seed(2))
    gradient = torch.randn(BATCH, CLASSES, generator=torch.Generator().manual_seed(3)) / BATCH
    data = b''.join(state[key].numpy().tobytes() for key in names)
    data += x.numpy().tobytes() + gradient.numpy().tobytes()
    output = np.frombuffer(driver(path, 'run', name, CLASSES, *shape, BATCH, 'f32', data=data), np.float32)
    sizes = [state[key].numel() for key in names]
    parts = np.split(output, np.cumsum([BATCH * CLASSES] * 2 + sizes * 2))
    exact = results(copy.deepcopy(model).double(), names, x.double(), gradient.double())
    single = results(model, names, x, gradient)
    ours = dict(zip(exact, parts_in_order(parts, names, exact)))
    if name.startswith('shake'):  # in training it draws
        exact = {'logits of prediction': exact['logits of prediction']}
    logits = [key for key in exact if key.startswith('logits')]
    running = [key for key in exact if 'running' in key]
    gradients = [key for key in exact if key not in logits and key not in running]

    def of(keys, which):
        return distance([which[key] for key in keys], [exact[key] for key in keys]) if keys else 0

    report = ', '.join(f"{what} {of(keys, ours):.1e} (PyTorch's {of(keys, single):.1e})" for what, keys in
                       (('logits', logits), ('statistics', running), ('gradients', gradients)))
    errors = []
    if not of(logits, ours) < 1e-4:
        errors.append('logits differ')
    if not of(running, ours) < 1e-4:
        errors.append('running statistics differ')
    if not of(gradients, ours) < max(3e-2, 4 * of(gradients, single)):
        errors.append('gradients differ')
    return errors, report


path, *asked = sys.argv[1:]
cases = [(name, False) for name in models.IMAGES] + [('softmax', True), ('softmax', False), ('mlp:32,16', True)]
if asked:
    cases = [(name, name.startswith(('softmax', 'mlp'))) for name in asked]
torch.set_num_threads(2)
print(f'1..{len(cases)}')
failed = False
for number, (name, vector) in enumerate(cases, 1):
    errors, report = compare(path, name, vector)
    print('not ok' if errors else 'ok', number, '-', name, 'of vectors' if vector else 'of images')
    if report:
        print('#', report)
    for error in errors:
        print('#', error)
    failed |= bool(errors)
sys.exit(failed)
