/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "method.h"

/* name, summary, flags, function */
#define METHODS(ROW)                                                                               \
  ROW ("mean", "the mean of the labels", SL_METHOD_LOCAL, .label = sl_label_mean)                  \
  ROW ("counts", "the share of the votes", SL_METHOD_LOCAL, .label = sl_label_counts)              \
  ROW ("softmax", "the softmax of the numbers of votes", SL_METHOD_LOCAL | SL_METHOD_TEMPERATURE,  \
       .label = sl_label_softmax)                                                                  \
  ROW ("majority", "the class with most votes", SL_METHOD_LOCAL | SL_METHOD_TIES,                  \
       .label = sl_label_majority)                                                                 \
  ROW ("category", "the mean label of all items of the gold class", SL_METHOD_GOLD,                \
       .label = sl_label_category)

#define METHOD(name, ...) { name, __VA_ARGS__ },
#define NAME(name, ...) name,

const SlMethod sl_methods[] = { METHODS (METHOD) };
const char *const sl_method_names[] = { METHODS (NAME) NULL };
