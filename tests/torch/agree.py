#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares softlabel's networks with PyTorch's, from the same weights, and reports in TAP.

    agree.py DRIVER [MODEL...]

Logits outside of training and in training, gradients with respect to all parameters and to the
input, and running statistics, each against PyTorch's in float64. What shake-shake draws in training
is the driver's.

Where a number falls on the other side of a ReLU's 0 by its last digit, the gradient jumps: among the
millions of numbers of a whole batch some do, in PyTorch's float32 as in ours. So gradients of whole
batches are only looked at roughly, and exactly those of two small images: of several such pairs one
has no jump. Where it is a deep network, one whose batch normalisations add so much that few numbers
come near a 0."""
import copy
import subprocess
import sys

import numpy as np
import torch

import models

CLASSES, PAIRS, SMALL = 10, 4, 1e-4
LIFT = 4 # deviations that batch normalisation adds in pairs after the first PAIRS
LARGE = ('wrn-28-10', 'pyramidnet-110-270', 'resnext29-8x64d')
# Relative to the length of what is compared. Winograd's algorithm rounds to some 1e-6; vgg15-bn's logits were seen 8e-6 off.
BOUNDS = {'logits': 3e-5, 'statistics': 1e-5, 'gradients': 0.1}


def driver(path, *arguments, data=b''):
    done = subprocess.run([path, *map(str, arguments)], input=data, stdout=subprocess.PIPE, check=True)
    return done.stdout


def randomise(model, seed, lift):
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
    for layer in model.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.bias.data += lift * layer.weight.data


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


def shares(path, model, arguments):
    """Gives the shaking layers of MODEL, in their order, what the driver draws."""
    layers = [layer for layer in model.modules() if isinstance(layer, models.Shake)]
    if layers:
        drawn = np.frombuffer(driver(path, 'shares', *arguments), np.float32).reshape(len(layers), 2, -1)
        for layer, (forward, backward) in zip(layers, drawn):
            layer.forward_shares, layer.backward_shares = torch.tensor(forward), torch.tensor(backward)


def misnamed(path, name, shape, state):
    """The parameters' names, and what is wrong with them or their shapes."""
    lines = [line.split() for line in driver(path, 'names', name, CLASSES, *shape).decode().splitlines()]
    names = [line[0] for line in lines]
    theirs = {key for key in state if 'num_batches' not in key}
    if set(names) != theirs:
        return names, [f'names differ: {sorted(set(names) ^ theirs)[:6]}']
    return names, [f'{key} is {dims} and not {list(state[key].shape)}' for key, *dims in lines
                   if list(state[key].shape) != [int(dim) for dim in dims]]


def distances(path, name, shape, batch, seed, lift=0):
    """For logits, running statistics and gradients: how far we are from PyTorch in float64, and how
    far PyTorch in float32 is."""
    model = models.make(name, CLASSES, int(np.prod(shape)))
    randomise(model, seed, lift)
    state = model.state_dict()
    names, errors = misnamed(path, name, shape, state)
    if errors:
        return None, errors
    x = torch.rand(batch, *shape, generator=torch.Generator().manual_seed(seed + 1))
    gradient = torch.randn(batch, CLASSES, generator=torch.Generator().manual_seed(seed + 2)) / batch
    arguments = [name, CLASSES, *shape, batch]
    shares(path, model, arguments)
    data = b''.join(array.numpy().tobytes() for array in [*(state[key] for key in names), x, gradient])
    output = np.frombuffer(driver(path, 'run', *arguments, 'f32', data=data), np.float32)
    sizes = [state[key].numel() for key in names]
    parts = np.split(output, np.cumsum([batch * CLASSES] * 2 + sizes * 2))
    exact = results(copy.deepcopy(model).double(), names, x.double(), gradient.double())
    single = results(model, names, x, gradient)
    ours = dict(zip(exact, parts_in_order(parts, names, exact)))
    found = {}
    for key in exact:
        what = 'logits' if 'logits' in key else 'statistics' if 'running' in key else 'gradients'
        found.setdefault(what, []).append(key)
    return {what: [distance([which[key] for key in keys], [exact[key] for key in keys]) for which in (ours, single)]
            for what, keys in found.items()}, []


def small_images(path, name):
    """How far gradients are, of the pair of small images that is nearest, PyTorch's too, and how many
    pairs that took."""
    size, ours, theirs = 32 if name.startswith('vgg') else 16, [], []
    for seed in range(2, 2 + 2 * PAIRS):
        found, _ = distances(path, name, (3, size, size), 2, seed, LIFT if seed >= 2 + PAIRS else 0)
        ours.append(found['gradients'][0])
        theirs.append(found['gradients'][1])
        if ours[-1] < SMALL:
            break
    return min(ours), min(theirs), len(ours)


def compare(path, name, vector):
    shape = (24, 1, 1) if vector else (3, 32, 32)
    whole, errors = distances(path, name, shape, 2 if name in LARGE else 8, 1)
    if errors:
        return errors, ''
    report = ', '.join(f"{what} {ours:.1e} (PyTorch's {theirs:.1e})" for what, (ours, theirs) in whole.items())
    errors += [f'{what} differ' for what, bound in BOUNDS.items() if what in whole and not whole[what][0] < bound]
    if not vector:
        ours, theirs, pairs = small_images(path, name)
        report += f"; gradients of small images {ours:.1e} (PyTorch's {theirs:.1e}), the best of {pairs}"
        if not ours < SMALL:
            errors.append('gradients of small images differ')
    return errors, report


path, *asked = sys.argv[1:]
cases = [(name, False) for name in models.IMAGES] + [('softmax', True), ('softmax', False), ('mlp:32,16', True), ('mlp-bn:32,16', True)]
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
