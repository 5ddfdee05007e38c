/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a client sends: this, with the descriptors beside it (the current folder, then those that
 * `numbers` counts up), and then BYTES of texts, each with its final zero: the numbers of the
 * descriptors as ints, the words, the environment. */
#pragma once

#include <stddef.h>
#include <sys/resource.h>

#define MOST_DESCRIPTORS 64

typedef struct
{
  int n_descriptors; /* but for the current folder's */
  int numbers[MOST_DESCRIPTORS];
  int n_words, n_variables;
  unsigned umask, ignored; /* signals, a bit each */
  struct rlimit limits[RLIM_NLIMITS];
  size_t bytes;
} Request;
