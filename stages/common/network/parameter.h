/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is learned, one array of it. */
#pragma once

#include <glib.h>

typedef enum
{
  SL_PARAMETER_WEIGHT, /* of a convolution or a linear layer */
  SL_PARAMETER_BIAS,   /* of one */
  SL_PARAMETER_SCALE,  /* of a batch normalisation: its weight */
  SL_PARAMETER_SHIFT,  /* of one: its bias */
  SL_PARAMETER_MEAN,   /* running, of one: no gradient */
  SL_PARAMETER_VARIANCE,
} SlParameterRole;

/* A parameter or a buffer, with the name and the layout that PyTorch's modules give it: a
 * convolution's weight is [out][in / groups][height][width], a linear layer's [out][in]. */
typedef struct
{
  const char *name;
  SlParameterRole role;
  int n_dims;
  gint64 dim[4];
  gsize size;      /* their product */
  float *value;    /* of all parameters: one array, in this order */
  float *grad;     /* likewise; NULL for a running mean or variance, and where nothing is trained */
  gboolean decays; /* a weight. The papers' codes decay the others as well. */
} SlParameter;
