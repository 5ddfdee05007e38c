/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks, each described by a function; models.c has the table of them. */
#pragma once

#include "stages/common/network/description.h"

#define SL_DESCRIBES(name)                                                                         \
  gboolean sl_describe_##name (SlDescription *d, const char *sizes, GError **error)

SL_DESCRIBES (softmax);
SL_DESCRIBES (mlp);
SL_DESCRIBES (vgg11);
SL_DESCRIBES (resnet34a);
SL_DESCRIBES (preact_resnet18);
SL_DESCRIBES (preact_resnet34);
