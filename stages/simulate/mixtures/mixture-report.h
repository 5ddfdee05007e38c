/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What people see in mixtures, in figures (Collins, MPhil thesis, Cambridge 2022, section 4.2). */
#pragma once

#include <glib.h>

/* The two items that a mixture is of, by what people say of each. */
typedef enum
{
  SL_ENDS_UNKNOWN,
  SL_ENDS_HARD, /* entropies of 0.5 nats or more */
  SL_ENDS_EASY, /* ... of 0.1 or less */
  SL_ENDS_OTHER,
  SL_N_ENDS,
} SlMixtureEnds;

/* One answer: of LAMBDA of the first class, HUMAN was seen. */
typedef struct
{
  double lambda, human, confidence; /* confidence: NaN where it is not known */
  SlMixtureEnds ends;
} SlMixtureSeen;

/* By the entropies of both; NaN is not known. */
SlMixtureEnds sl_mixture_ends (double first, double second);

/* Adds the figures of SEEN[N], which it sorts, to TEXT. */
void sl_mixture_report (GString *text, SlMixtureSeen *seen, gsize n);
