/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-tags.h"

#include "pipeline/table/tag-columns.h"

#include <string.h>

static void
clear (gpointer data)
{
  SlModelTags *model = data;
  g_free (model->name);
  sl_tags_clear (&model->tags);
}

GArray *
sl_model_tags_new (void)
{
  GArray *models = g_array_new (FALSE, TRUE, sizeof (SlModelTags));
  g_array_set_clear_func (models, clear);
  return models;
}

void
sl_model_tags_add (GArray *models, const char *name, const SlTags *tags)
{
  SlModelTags model = { .name = g_strdup (name) };
  sl_tags_copy (&model.tags, tags);
  g_array_append_val (models, model);
}

static SlModelTags *
model_at (const GArray *models, gsize m)
{
  return &g_array_index (models, SlModelTags, m);
}

static gboolean
all_have (const GArray *models, const SlTag *tag)
{
  for (guint m = 0; m < models->len; m++)
    if (g_strcmp0 (sl_tags_get (&model_at (models, m)->tags, tag->key), tag->value) != 0)
      return FALSE;
  return TRUE;
}

gboolean
sl_model_tags_settle (GArray *models, SlRun *run, GError **error)
{
  SlTags alike = { 0 };
  gboolean ok = TRUE;
  for (guint m = 0; ok && m < models->len; m++)
    ok = sl_run_check_tags (run, model_at (models, m)->name, &model_at (models, m)->tags, error);
  sl_tags_copy (&alike, &model_at (models, 0)->tags);
  for (int i = alike.n - 1; i >= 0; i--)
    if (!all_have (models, &alike.tag[i]))
      sl_tags_take_off (&alike, i);
  ok = ok && sl_run_add_tags (run, model_at (models, 0)->name, &alike, error);
  for (guint m = 0; m < models->len; m++)
    for (int i = 0; i < alike.n; i++)
      sl_tags_set (&model_at (models, m)->tags, alike.tag[i].key, NULL);
  sl_tags_clear (&alike);
  return ok;
}

gboolean
sl_model_tags_columns (const GArray *models, SlTable *table, GError **error)
{
  for (guint m = 0; m < models->len; m++)
    for (int i = 0; i < model_at (models, m)->tags.n; i++)
      if (!sl_table_add_tag_column (table, model_at (models, m)->tags.tag[i].key, error))
        return FALSE;
  return TRUE;
}

void
sl_model_tags_append (const GArray *models, gsize m, const SlTable *table, SlBuilder *builder)
{
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      const char *value = sl_tags_get (&model_at (models, m)->tags, sl_tag_column_key (table, c));
      if (value != NULL)
        sl_builder_text (builder, c, value, strlen (value));
      else
        sl_builder_null (builder, c);
    }
}
