# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks as PyTorch modules, written from their papers and from the names in public code, to
compare softlabel's with. None of this is how softlabel computes them."""
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


class Softmax(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.linear = nn.Linear(features, classes)

    def forward(self, x):
        return self.linear(x.flatten(1))


class Mlp(nn.Sequential):
    def __init__(self, features, classes, sizes):
        layers = []
        for size in sizes:
            layers += [nn.Linear(features, size), nn.ReLU(), nn.Dropout(0)]
            features = size
        super().__init__(*layers, nn.Linear(features, classes))

    def forward(self, x):
        return super().forward(x.flatten(1))


IMAGES = {
    'vgg11': Vgg11,
    'resnet34a': ResNet34A,
    'preact-resnet18': lambda classes: PreActResNet(classes, [2, 2, 2, 2]),
    'preact-resnet34': lambda classes: PreActResNet(classes, [3, 4, 6, 3]),
}


def make(name, classes, features=3072):
    if name == 'softmax':
        return Softmax(features, classes)
    if name.startswith('mlp'):
        return Mlp(features, classes, [int(size) for size in (name + ':128').split(':')[1].split(',')])
    return IMAGES[name](classes)
