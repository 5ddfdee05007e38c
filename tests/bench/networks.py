#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images a second in training and in prediction, softlabel's networks beside PyTorch's.

    networks.py DRIVER [--models A,B] [--batches 32,128] [--precisions f32,bf16] [--threads 2]
                [--seconds 8] [--rounds 3]

Each round runs both, one after the other, on random images of 32 x 32, each in a process of its own;
a line shows the median and the median of the rounds' ratios. PyTorch runs in its faster layout,
channels_last, bfloat16 by autocast. A step of training is forward, backward and SGD with momentum.
GFLOP/s counts 2 for each multiply-add of convolutions and linear layers, three times as many in
training; `peak` is the share of what a large float32 or bfloat16 matrix product of PyTorch's reaches
on as many threads. On a busy machine read the ratios by processor time (`cpu`)."""
import argparse
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'torch'))


def torch_run(name, batch, kind, precision, threads, seconds):
    """In a process of its own: prints images a second, by the clock and by processor time, and MB."""
    import contextlib
    import resource

    import torch

    import models
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = models.make(name, 10).to(memory_format=torch.channels_last)
    x = torch.rand(batch, 3, 32, 32).to(memory_format=torch.channels_last)
    y = torch.randint(0, 10, (batch,))
    optimiser = torch.optim.SGD(model.parameters(), 1e-4, momentum=0.9)

    def cast():
        return torch.autocast('cpu', dtype=torch.bfloat16) if precision == 'bf16' else contextlib.nullcontext()

    def train():
        optimiser.zero_grad()
        with cast():
            loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimiser.step()

    def predict():
        with torch.inference_mode(), cast():
            model(x)

    step = train if kind == 'train' else predict
    model.train(kind == 'train')
    step(), step()

    def processor():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    runs, start, cpu = 0, time.perf_counter(), processor()
    while runs == 0 or time.perf_counter() - start < seconds:
        step()
        runs += 1
    clock, cpu = time.perf_counter() - start, processor() - cpu
    status = Path('/proc/self/status').read_text(encoding='ascii')
    peak = int(re.search(r'VmHWM:\s*(\d+)', status)[1]) / 1e3
    print(runs * batch / clock, runs * batch / cpu, peak)


def matrix_peak(precision, threads):
    import torch
    torch.set_num_threads(threads)
    number = torch.bfloat16 if precision == 'bf16' else torch.float32
    a, b = torch.rand(2048, 2048, dtype=number), torch.rand(2048, 2048, dtype=number)
    best = 0
    for _ in range(12):
        start = time.perf_counter()
        a @ b
        best = max(best, 2 * 2048**3 / (time.perf_counter() - start) / 1e9)
    print(best)


def numbers(command):
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return [float(x) for x in re.findall(r'\d+(?:\.\d+)?', output)]


def multiply_adds(name):
    """Of one image, by PyTorch's hooks."""
    import torch

    import models
    model, total = models.make(name, 10).eval(), []
    for layer in model.modules():
        if isinstance(layer, (torch.nn.Conv2d, torch.nn.Linear)):
            layer.register_forward_hook(lambda layer, _, y: total.append(
                layer.weight.numel() * (y.shape[2] * y.shape[3] if y.dim() == 4 else 1)))
    with torch.inference_mode():
        model(torch.rand(1, 3, 32, 32))
    return sum(total)


def bench(options):
    me = [sys.executable, str(HERE / 'networks.py')]
    peaks = {p: numbers([*me, 'matrix-peak', p, str(options.threads)])[0] for p in options.precisions.split(',')}
    print(f'{"":38} {"images/s":>17} {"":>7} {"cpu":>6} {"memory MB":>13} {"GFLOP/s":>8} {"peak":>5}')
    for name in options.models.split(','):
        flops = 2 * multiply_adds(name)
        for precision in options.precisions.split(','):
            for batch in options.batches.split(','):
                for kind in ('train', 'predict'):
                    settings = [batch, kind, precision, str(options.threads), str(options.seconds)]
                    ours, theirs = [], []
                    for _ in range(options.rounds):
                        theirs.append(numbers([*me, 'torch', name, *settings]))
                        line = numbers([options.driver, kind, name, '10', '3', '32', '32', batch, precision,
                                        str(options.threads), str(options.seconds)])
                        ours.append((line[0], line[1], line[-1]))
                    report(name, precision, batch, kind, ours, theirs, flops, peaks[precision])


def report(name, precision, batch, kind, ours, theirs, flops, peak):
    def median(values):
        return statistics.median(list(values))

    speed = median(x[0] for x in ours)
    rate = speed * flops * (3 if kind == 'train' else 1) / 1e9
    ratio = median(a[0] / b[0] for a, b in zip(ours, theirs))
    cpu = median(a[1] / b[1] for a, b in zip(ours, theirs))
    print(f'{name:16} {precision:4} {batch:>4} {kind:8}    {speed:8.0f} {median(x[0] for x in theirs):8.0f} {ratio:6.2f}x '
          f'{cpu:5.2f}x {median(x[2] for x in ours):6.0f} {median(x[2] for x in theirs):6.0f} {rate:8.0f} '
          f'{rate / peak:5.0%}', flush=True)


def main():
    if len(sys.argv) > 2 and sys.argv[1] == 'torch':
        name, batch, kind, precision, threads, seconds = sys.argv[2:]
        torch_run(name, int(batch), kind, precision, int(threads), float(seconds))
        return
    if len(sys.argv) > 2 and sys.argv[1] == 'matrix-peak':
        matrix_peak(sys.argv[2], int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('driver')
    parser.add_argument('--models', default='resnet34a,vgg11,preact-resnet18')
    parser.add_argument('--batches', default='32,128')
    parser.add_argument('--precisions', default='f32,bf16')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--seconds', type=float, default=8)
    parser.add_argument('--rounds', type=int, default=3)
    bench(parser.parse_args())


main()
