/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of annotators besides their answers: attributes, each of which has one of a few
 * values, or is not known. */
#pragma once

#include "pipeline/base/json-value.h"

typedef struct
{
  char *name;    /* "gender" */
  char **values; /* NULL-terminated, in the order of texts */
  gint32 n;      /* how many values there are */
} SlAnnotatorAttribute;

typedef struct
{
  SlAnnotatorAttribute *attribute; /* [n] */
  gsize n, n_annotators;
  gint32 *code; /* [n_annotators + 1][n]: a value; an attribute's n: not known. The last one's is a
                 * stranger's */
} SlAnnotatorAttributes; /* all zeros: none */

/* Room for N attributes, of nothing yet. */
void sl_annotator_attributes_init (SlAnnotatorAttributes *attributes, gsize n, gsize n_annotators);
void sl_annotator_attributes_clear (SlAnnotatorAttributes *attributes);

/* As a member of a JSON object, with the comma before it; nothing where there are none. */
void sl_annotator_attributes_to_json (const SlAnnotatorAttributes *attributes, GString *json);
/* FALSE: JSON, which may be missing, is not what that writes. */
gboolean sl_annotator_attributes_from_json (SlAnnotatorAttributes *attributes, SlJson json,
                                            gsize n_annotators);

/* Rows of a table in which each annotator has one, then a stranger, then each attribute's values,
 * and that it is not known. Without attributes there are annotators alone. */
gsize sl_annotator_attributes_rows (const SlAnnotatorAttributes *attributes, gsize n_annotators);
/* The row of attribute T of annotator R. */
gsize sl_annotator_attributes_row (const SlAnnotatorAttributes *attributes, gsize t, gsize r);
