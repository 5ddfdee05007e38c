# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks as PyTorch modules, written from their papers and from the names in public code, to
compare softlabel's with. None of this is how softlabel computes them."""
import torch
import torch.nn.functional as F
from torch import nn


def conv(inputs, outputs, kernel, stride=1, groups=1, bias=False):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=bias)


class Vgg11(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers, inputs = [], 3
        for outputs in [64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0]:
            if outputs == 0:
                layers.append(nn.MaxPool2d(2, 2))
                continue
            layers += [conv(inputs, outputs, 3, bias=True), nn.BatchNorm2d(outputs),
                       nn.ReLU(inplace=True)]
            inputs = outputs
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(512, classes)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class BasicA(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = conv(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = conv(outputs, outputs, 3)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.stride, self.pad = stride, outputs // 4

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        if self.stride != 1:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, self.pad, self.pad))
        return F.relu(y + x)


def stage(block, inputs, outputs, count, stride):
    blocks = [block(inputs, outputs, stride)]
    blocks += [block(outputs, outputs, 1) for _ in range(count - 1)]
    return nn.Sequential(*blocks)


class ResNet34A(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1, self.bn1 = conv(3, 16, 3), nn.BatchNorm2d(16)
        self.layer1 = stage(BasicA, 16, 16, 7, 1)
        self.layer2 = stage(BasicA, 16, 32, 7, 2)
        self.layer3 = stage(BasicA, 32, 64, 7, 2)
        self.linear = nn.Linear(64, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.linear(x.mean((2, 3)))


class PreActBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, outputs, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(outputs), conv(outputs, outputs, 3)
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(conv(inputs, outputs, 1, stride))

    def forward(self, x):
        y = F.relu(self.bn1(x))
        shortcut = self.shortcut(y) if hasattr(self, 'shortcut') else x
        return self.conv2(F.relu(self.bn2(self.conv1(y)))) + shortcut


class PreActResNet(nn.Module):
    def __init__(self, classes, counts):
        super().__init__()
        self.conv1 = conv(3, 64, 3)
        self.layer1 = stage(PreActBlock, 64, 64, counts[0], 1)
        self.layer2 = stage(PreActBlock, 64, 128, counts[1], 2)
        self.layer3 = stage(PreActBlock, 128, 256, counts[2], 2)
        self.layer4 = stage(PreActBlock, 256, 512, counts[3], 2)
        self.linear = nn.Linear(512, classes)

    def forward(self, x):
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.conv1(x)))))
        return self.linear(x.mean((2, 3)))


class Bottleneck(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, 1), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv3, self.bn3 = conv(outputs, 4 * outputs, 1), nn.BatchNorm2d(4 * outputs)
        if stride != 1 or inputs != 4 * outputs:
            self.shortcut = nn.Sequential(conv(inputs, 4 * outputs, 1, stride), nn.BatchNorm2d(4 * outputs))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return F.relu(y + (self.shortcut(x) if hasattr(self, 'shortcut') else x))


class ResNet50(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1, self.bn1 = conv(3, 64, 3), nn.BatchNorm2d(64)
        inputs = 64
        for number, (count, outputs) in enumerate(zip((3, 4, 6, 3), (64, 128, 256, 512)), 1):
            blocks = []
            for i in range(count):
                blocks.append(Bottleneck(inputs, outputs, 2 if number > 1 and i == 0 else 1))
                inputs = 4 * outputs
            self.add_module(f'layer{number}', nn.Sequential(*blocks))
        self.linear = nn.Linear(2048, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.linear(x.mean((2, 3)))


# What follows is named as in Hysts' code: stages of blocks that count from 1.


class Vgg15(nn.Module):
    def __init__(self, classes):
        super().__init__()
        inputs = 3
        for number, (count, outputs) in enumerate(zip((2, 2, 3, 3, 3), (64, 128, 256, 512, 512)), 1):
            part = nn.Sequential()
            for i in range(count):
                part.add_module(f'conv{i}', conv(inputs, outputs, 3, bias=True))
                part.add_module(f'bn{i}', nn.BatchNorm2d(outputs))
                part.add_module(f'relu{i}', nn.ReLU(inplace=True))
                inputs = outputs
            part.add_module('pool', nn.MaxPool2d(2, 2))
            self.add_module(f'stage{number}', part)
        self.fc = nn.Linear(512, classes)

    def forward(self, x):
        for number in range(1, 6):
            x = getattr(self, f'stage{number}')(x)
        return self.fc(x.flatten(1))


class Shortcut(nn.Module):
    def __init__(self, inputs, outputs, stride, norm):
        super().__init__()
        self.conv = conv(inputs, outputs, 1, stride)
        if norm:
            self.bn = nn.BatchNorm2d(outputs)

    def forward(self, x):
        x = self.conv(x)
        return self.bn(x) if hasattr(self, 'bn') else x


class Basic(nn.Module):
    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity() if inputs == outputs else Shortcut(inputs, outputs, stride, True)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class Grouped(nn.Module):
    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        inner = 2 * outputs
        self.conv1, self.bn1 = conv(inputs, inner, 1), nn.BatchNorm2d(inner)
        self.conv2, self.bn2 = conv(inner, inner, 3, stride, groups=8), nn.BatchNorm2d(inner)
        self.conv3, self.bn3 = conv(inner, outputs, 1), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity() if inputs == outputs else Shortcut(inputs, outputs, stride, True)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + self.shortcut(x))


class Wide(nn.Module):
    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, outputs, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(outputs), conv(outputs, outputs, 3)
        self.changes = inputs != outputs
        self.shortcut = Shortcut(inputs, outputs, stride, False) if self.changes else nn.Identity()

    def forward(self, x):
        y = F.relu(self.bn1(x))
        return self.conv2(F.relu(self.bn2(self.conv1(y)))) + self.shortcut(y if self.changes else x)


class PreActBottleneck(nn.Module):
    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        inner = outputs // 4
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, inner, 1)
        self.bn2, self.conv2 = nn.BatchNorm2d(inner), conv(inner, inner, 3, stride)
        self.bn3, self.conv3 = nn.BatchNorm2d(inner), conv(inner, outputs, 1)
        self.first = first
        self.shortcut = nn.Identity() if inputs == outputs else Shortcut(inputs, outputs, stride, False)

    def forward(self, x):
        y = F.relu(self.bn1(x))
        x = y if self.first else x
        y = self.conv2(F.relu(self.bn2(self.conv1(y))))
        return self.conv3(F.relu(self.bn3(y))) + self.shortcut(x)


class Pyramid(nn.Module):
    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, outputs, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(outputs), conv(outputs, outputs, 3)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.more, self.stride = outputs - inputs, stride

    def forward(self, x):
        y = self.conv2(F.relu(self.bn2(self.conv1(self.bn1(x)))))
        x = F.avg_pool2d(x, 2, 2) if self.stride > 1 else x
        return self.bn3(y) + F.pad(x, (0, 0, 0, 0, 0, self.more))


class Branch(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs, 3), nn.BatchNorm2d(outputs)

    def forward(self, x):
        return self.bn2(self.conv2(F.relu(self.bn1(self.conv1(F.relu(x))))))


class Downsample(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.conv1, self.conv2 = conv(inputs, inputs, 1), conv(inputs, inputs, 1)
        self.bn = nn.BatchNorm2d(2 * inputs)

    def forward(self, x):
        x = F.relu(x)
        return self.bn(torch.cat([self.conv1(x[:, :, ::2, ::2]), self.conv2(x[:, :, 1::2, 1::2])], 1))


class Mix(torch.autograd.Function):
    """s a + (1 - s) b forward, and backward as if it had been t a + (1 - t) b."""

    @staticmethod
    def forward(ctx, a, b, s, t):
        ctx.t = t
        return s * a + (1 - s) * b

    @staticmethod
    def backward(ctx, gradient):
        return ctx.t * gradient, (1 - ctx.t) * gradient, None, None


class Shake(nn.Module):
    """Half of each branch; in training, per image, the shares that it is given."""

    def __init__(self, inputs, outputs, stride, first):
        super().__init__()
        self.residual_path1, self.residual_path2 = Branch(inputs, outputs, stride), Branch(inputs, outputs, stride)
        self.shortcut = nn.Sequential()
        if inputs != outputs:
            self.shortcut.add_module('downsample', Downsample(inputs))
        self.forward_shares = self.backward_shares = None

    def forward(self, x):
        a, b = self.residual_path1(x), self.residual_path2(x)
        s = t = 0.5
        if self.training:
            s, t = (shares.to(x.dtype).view(-1, 1, 1, 1) for shares in (self.forward_shares, self.backward_shares))
        return self.shortcut(x) + Mix.apply(a, b, s, t)


class Dense(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, 48, 1)
        self.bn2, self.conv2 = nn.BatchNorm2d(48), conv(48, 12, 3)

    def forward(self, x):
        return torch.cat([x, self.conv2(F.relu(self.bn2(self.conv1(F.relu(self.bn1(x))))))], 1)


class Transition(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.bn, self.conv = nn.BatchNorm2d(inputs), conv(inputs, inputs // 2, 1)

    def forward(self, x):
        return F.avg_pool2d(self.conv(F.relu(self.bn(x))), 2, 2)


class Staged(nn.Module):
    """A convolution, three stages of COUNT blocks whose channels are CHANNELS, the mean, a linear layer.
    BEFORE: names of the batch normalisation (with ReLU or without) behind the convolution and behind
    the stages."""

    def __init__(self, classes, block, stem, channels, count, before, behind):
        super().__init__()
        self.conv = conv(3, stem, 3)
        self.before, self.behind = before, behind
        if before:
            self.add_module(before[0], nn.BatchNorm2d(stem))
        inputs = stem
        for number in range(3):
            part = nn.Sequential()
            for i in range(count):
                outputs = channels(number, i)
                stride = 2 if number > 0 and i == 0 else 1
                part.add_module(f'block{i + 1}', block(inputs, outputs, stride, i == 0))
                inputs = outputs
            self.add_module(f'stage{number + 1}', part)
        if behind:
            self.add_module(behind, nn.BatchNorm2d(inputs))
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.conv(x)
        if self.before:
            x = getattr(self, self.before[0])(x)
            x = F.relu(x) if self.before[1] else x
        x = self.stage3(self.stage2(self.stage1(x)))
        if self.behind:
            x = F.relu(getattr(self, self.behind)(x))
        return self.fc(x.mean((2, 3)))


class DenseNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv = conv(3, 24, 3)
        channels = 24
        for number in range(1, 4):
            part = nn.Sequential()
            for i in range(16):
                part.add_module(f'block{i + 1}', Dense(channels))
                channels += 12
            if number < 3:
                part.add_module('transition', Transition(channels))
                channels //= 2
            self.add_module(f'stage{number}', part)
        self.bn, self.fc = nn.BatchNorm2d(channels), nn.Linear(channels, classes)

    def forward(self, x):
        x = self.stage3(self.stage2(self.stage1(self.conv(x))))
        return self.fc(F.relu(self.bn(x)).mean((2, 3)))


class Softmax(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.linear = nn.Linear(features, classes)

    def forward(self, x):
        return self.linear(x.flatten(1))


class Mlp(nn.Sequential):
    def __init__(self, features, classes, sizes, normalised):
        layers = []
        for size in sizes:
            layers += [nn.Linear(features, size), *([nn.BatchNorm1d(size)] if normalised else []), nn.ReLU(), nn.Dropout(0)]
            features = size
        super().__init__(*layers, nn.Linear(features, classes))

    def forward(self, x):
        return super().forward(x.flatten(1))


IMAGES = {
    'vgg11': Vgg11,
    'resnet34a': ResNet34A,
    'preact-resnet18': lambda classes: PreActResNet(classes, [2, 2, 2, 2]),
    'preact-resnet34': lambda classes: PreActResNet(classes, [3, 4, 6, 3]),
    'resnet50': ResNet50,
    'vgg15-bn': Vgg15,
    'resnet110': lambda classes: Staged(classes, Basic, 16, lambda s, i: 16 << s, 18, ('bn', True), None),
    'wrn-28-10': lambda classes: Staged(classes, Wide, 16, lambda s, i: 160 << s, 4, None, 'bn'),
    'preact-resnet164': lambda classes: Staged(classes, PreActBottleneck, 16, lambda s, i: (16, 128, 256)[s], 18,
                                               None, 'bn'),
    'resnext29-8x64d': lambda classes: Staged(classes, Grouped, 64, lambda s, i: 256 << s, 3, ('bn', True), None),
    'densenet-bc-100-12': DenseNet,
    'pyramidnet-110-270': lambda classes: Staged(classes, Pyramid, 16, lambda s, i: 16 + 5 * (18 * s + i + 1), 18,
                                                 ('bn1', False), 'bn2'),
    'shake-shake-26-2x64d': lambda classes: Staged(classes, Shake, 64, lambda s, i: 64 << s, 4, ('bn', True), None),
}


def make(name, classes, features=3072):
    if name == 'softmax':
        return Softmax(features, classes)
    if name.startswith('mlp'):
        return Mlp(features, classes, [int(size) for size in (name + ':128').split(':')[1].split(',')], name.startswith('mlp-bn'))
    return IMAGES[name](classes)
