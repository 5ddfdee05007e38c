/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CIFAR-10's classes, in its order. */
#pragma once

#include <glib.h>

static const char *const sl_cifar10_classes[]
    = { "airplane", "automobile", "bird", "cat",   "deer", "dog",
        "frog",     "horse",      "ship", "truck", NULL };
