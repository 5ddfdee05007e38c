/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws items of a table: it is read once for what items it has; those that are chosen stay. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

typedef enum
{
  SL_STRATIFY_NONE,
  SL_STRATIFY_GOLD,
  SL_STRATIFY_ARGMAX,
} SlStratify;

typedef struct
{
  gint64 sample; /* items; 0: not asked for */
  double share;  /* of the items; 0: not asked for */
  gint64 n_folds, fold;
  SlStratify stratify;
} SlDrawing;

/* Reads run->in, whose column COLUMN has the items, to its end. Returns the chosen ones. */
SlIntern *sl_draw_items (SlRun *run, int column, const SlDrawing *drawing, GError **error);
