/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of texts as papers have them: rows and columns in order of first appearance. */
#pragma once

#include <glib.h>

typedef struct
{
  char *text;
  gboolean best; /* in bold */
  int stars;     /* how little chance alone makes a difference so large: 0 to 3, as the note says */
} SlGridCell;

typedef struct
{
  char *
      *row_keys; /* what rows are told apart by, NULL-terminated: the heads of the first columns */
  GPtrArray *rows;    /* char **: a value for each of row_keys */
  GPtrArray *columns; /* char *: heads */
  GHashTable *cells;  /* "row,column": SlGridCell */
  char *said;         /* a sentence of the note below; or NULL */
} SlGrid;

#define SL_GRID_STARS 3

void sl_grid_init (SlGrid *grid, char *const *row_keys);
void sl_grid_clear (SlGrid *grid);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlGrid, sl_grid_clear)

/* The numbers of the row with VALUES and of the column HEAD, new ones where they are new. */
guint sl_grid_row (SlGrid *grid, char *const *values);
guint sl_grid_column (SlGrid *grid, const char *head);

/* The cell, with TEXT; NULL where there is one already. */
SlGridCell *sl_grid_put (SlGrid *grid, guint row, guint column, const char *text);

/* For a terminal, numbers to the right. */
void sl_grid_print (const SlGrid *grid, GString *out);

/* What stands below a table for its marks, and what is said: NULL where there is nothing. */
char *sl_grid_note (const SlGrid *grid, gboolean bold);

/* RFC 4180; a table of Markdown; one of LaTeX, ruled by its package booktabs; a table of HTML. */
typedef enum
{
  SL_GRID_CSV,
  SL_GRID_MARKDOWN,
  SL_GRID_LATEX,
  SL_GRID_HTML,
} SlGridForm;

void sl_grid_print_as (const SlGrid *grid, SlGridForm form, GString *out);
