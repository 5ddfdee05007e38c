/* SPDX-License-Identifier: GPL-3.0-or-later */
/* features: one row is one example as a classifier sees it. */
#pragma once

#include "kinds.h"

typedef struct
{
  gint64 n;
  gint32 n_classes;
  const SlTensor *tensor; /* the form of each x */
  SlText item;
  const guint8 *pixels; /* [n][tensor->size]; NULL where x are floats */
  const float *numbers; /* [n][tensor->size]; NULL where x are pixels */
  const gint32 *gold;   /* -1: not known; NULL where there is none */
} SlFeatures;

SlFeatures sl_features_view (const SlBatch *batch);

/* Whether all of VALUES[n] are finite. */
gboolean sl_features_finite (const float *values, gsize n);

/* The invariants of rows. */
gboolean sl_features_check_rows (const SlBatch *batch, GError **error);
