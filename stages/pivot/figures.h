/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of tables of scores, each with what it was found under. */
#pragma once

#include "pipeline/command/run.h"

typedef struct
{
  SlTags conditions; /* metric among them, and bin */
  double value, lower, upper, sd;
} SlFigure;

typedef struct
{
  SlRun *run;
  GPtrArray *figures; /* of SlFigure */
  char **metrics;     /* those that are looked for; NULL: all */
} SlFigures;

/* Adds those of the file PATH. */
gboolean sl_figures_read (SlFigures *figures, const char *path, GError **error);
void sl_figures_clear (SlFigures *figures);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlFigures, sl_figures_clear)

/* FIGURE's value of KEY; "" where it has none. */
const char *sl_figure_condition (const SlFigure *figure, const char *key);

/* Every key that tells figures apart, but those of A and B (either may be NULL). */
char **sl_figures_keys (const SlFigures *figures, char *const *a, char *const *b);
