/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags of models: what all of them have alike holds for the whole table; of the rest each row has
 * its model's. */
#pragma once

#include "pipeline/command/run.h"

typedef struct
{
  char *name; /* the model's file */
  SlTags tags;
} SlModelTags;

GArray *sl_model_tags_new (void); /* of SlModelTags */
void sl_model_tags_add (GArray *models, const char *name, const SlTags *tags);

/* Hands what all have alike to RUN, and leaves the rest; FALSE where a model and another input have
 * different values of a tag. */
gboolean sl_model_tags_settle (GArray *models, SlRun *run, GError **error);

/* TABLE gets columns for what is left. */
gboolean sl_model_tags_columns (const GArray *models, SlTable *table, GError **error);

/* Appends the tags of model M to the columns of BUILDER's TABLE. */
void sl_model_tags_append (const GArray *models, gsize m, const SlTable *table, SlBuilder *builder);
