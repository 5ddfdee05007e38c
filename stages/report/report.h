/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report in the making, and what a section of it is (sections/): it takes the tables of its
 * kinds, and draws what they say. */
#pragma once

#include "html-text.h"
#include "page.h"
#include "pictures.h"
#include "pipeline/command/run.h"
#include "stages/common/items/item-texts.h"

struct SlParts; /* parts.h */

/* One of the tables. */
typedef struct
{
  SlReader *reader;
  SlTable *table; /* the reader's */
  char *name;     /* of its file */
  char *label; /* what it is called in charts: the tags in which it differs from others of its kind,
                  or its name */
  gint64 rows; /* once it was read */
} SlReportInput;

typedef struct
{
  SlRun *run;
  SlPage page;
  SlPictures *pictures;
  SlReportInput *input; /* [n_inputs] */
  int n_inputs;
  int most; /* items shown of a kind */
  /* What a comparison found: the items furthest apart and nearest, by which distance; both as keys
   * of is_wanted. They are known before labels are read. */
  GPtrArray *wanted, *nearest;
  GHashTable *is_wanted;
  const char *distance;
  GArray *owned;        /* what sections hold (sl_report_own()) */
  SlItemTexts texts;    /* of items, if a file has them */
  const char *text_key; /* or the tag that does */
} SlReport;

/* The text of ITEM[n], row I of BATCH, to be freed; NULL: there is none. */
char *sl_report_text (const SlReport *report, const SlBatch *batch, gint64 i, const char *item,
                      gsize n);

typedef struct SlSection
{
  const char *id, *title;
  const SlKind *kinds[3]; /* that it takes; NULL-terminated */
  /* A section of single tables as data, which needs nothing of what follows. */
  const struct SlParts *parts;
  const struct SlSection *of; /* it takes nothing itself: it draws what this one has taken */
  /* One state for all its tables, drawn once; else each table has a state, and its own heading. */
  gboolean together;
  gsize size;        /* of a state, all zeros at first */
  const char *empty; /* what stands in place of a table without rows; not with TOGETHER */
  /* A table begins; a batch of it; it ends (or NULL). What STATE points to belongs to the report
   * (SL_OWN()). */
  gboolean (*begin) (gpointer state, SlReport *report, const SlReportInput *input, GError **error);
  gboolean (*take) (gpointer state, SlReport *report, const SlBatch *batch, GError **error);
  gboolean (*end) (gpointer state, SlReport *report, GError **error);
  /* Whether there is something to draw (NULL: always, once there was a table); and draws it. */
  gboolean (*fills) (gconstpointer state);
  void (*draw) (gpointer state, SlReport *report);
} SlSection;

/* Returns OBJECT, which FREE frees once all is drawn, the last one first. */
gpointer sl_report_own (SlReport *report, gpointer object, GDestroyNotify free);
#define SL_OWN(report, object, free) sl_report_own (report, object, (GDestroyNotify) (free))

/* N zeros for WHAT, which the report owns; NULL and ERROR where there is no memory. */
double *sl_report_reals (SlReport *report, gsize n, const char *what, GError **error);

/* Where the tables come from: the last section of all, of tables of any kind. */
void sl_report_draw_origin (SlReport *report);

/* Whether there are more tables of INPUT's kind. */
gboolean sl_report_is_one_of_several (const SlReport *report, const SlReportInput *input);

/* The heading of one table, if there are several of its kind; and one below it, TITLE. */
void sl_report_heading (SlReport *report, const SlReportInput *input);
void sl_report_subheading (SlReport *report, const SlReportInput *input, const char *title);
