/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags: those of all inputs and of --tag go to every table that a run writes. */
#include "run-tags.h"

#include "run-private.h"

#include "pipeline/table/tag-columns.h"

#include <string.h>

gboolean
sl_run_parse_tags (SlRun *run, GError **error)
{
  SlRunPrivate *priv = run->priv;
  char **text = sl_run_common (run)->tag;
  if (text != NULL && run->command->flags & SL_COMMAND_TEXT)
    return sl_error_usage (error, "--tag: %s prints text, which has no tags", run->command->name);
  for (; text != NULL && *text != NULL; text++)
    if (g_str_has_prefix (*text, SL_ATTRIBUTE_PREFIX) && !g_str_has_suffix (*text, "="))
      return sl_error_usage (error,
                             "--tag %s: attributes of annotators are columns; `softlabel ingest "
                             "--annotator-columns` reads them, `softlabel join --by annotator` "
                             "brings them",
                             *text);
    else if (!sl_tags_parse (&priv->given, *text, error))
      return FALSE;
  g_autofree char *json = sl_tags_to_json (&priv->given);
  sl_provenance_set_tags (&priv->provenance, json);
  return TRUE;
}

gboolean
sl_run_check_tags (const SlRun *run, const char *name, const SlTags *tags, GError **error)
{
  const SlRunPrivate *priv = run->priv;
  for (int i = 0; i < tags->n; i++)
    {
      const SlTag *tag = &tags->tag[i];
      const char *before = sl_tags_get (&priv->tags, tag->key);
      if (before != NULL && sl_tags_get (&priv->given, tag->key) == NULL
          && strcmp (before, tag->value) != 0)
        {
          g_set_error (
              error, SL_ERROR, SL_ERROR_INPUT,
              "tag '%s' is '%s' in %s and '%s' in %s; --tag %s=VALUE settles it, and --tag "
              "%s= takes it off",
              tag->key, before, (const char *) g_hash_table_lookup (priv->tag_from, tag->key),
              tag->value, name, tag->key, tag->key);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
sl_run_add_tags (SlRun *run, const char *name, const SlTags *tags, GError **error)
{
  SlRunPrivate *priv = run->priv;
  if (run->command->flags & SL_COMMAND_TEXT)
    return TRUE;
  if (!sl_run_check_tags (run, name, tags, error))
    return FALSE;
  if (priv->tag_from == NULL)
    priv->tag_from = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (int i = 0; i < tags->n; i++)
    {
      sl_tags_set (&priv->tags, tags->tag[i].key, tags->tag[i].value);
      g_hash_table_insert (priv->tag_from, g_strdup (tags->tag[i].key), g_strdup (name));
    }
  return TRUE;
}

gboolean
sl_run_add_tag (SlRun *run, const char *option, const char *key, const char *value, GError **error)
{
  SlTag tag = { (char *) key, (char *) value };
  const SlTags tags = { &tag, 1 };
  return value == NULL || sl_run_add_tags (run, option, &tags, error);
}

void
sl_run_take_off_tag (SlRun *run, const char *key)
{
  sl_tags_set (&run->priv->tags, key, NULL);
}

void
sl_run_share_tags (SlRun *run, const SlTags *tags)
{
  SlTags *shared = &run->priv->tags;
  if (run->priv->n_tagged++ == 0)
    sl_tags_copy (shared, tags);
  for (int i = shared->n - 1; i >= 0; i--)
    if (g_strcmp0 (sl_tags_get (tags, shared->tag[i].key), shared->tag[i].value) != 0)
      sl_tags_take_off (shared, i);
}

static void
put_tags (const SlRun *run, SlTags *tags)
{
  const SlTags *given = &run->priv->given;
  sl_tags_copy (tags, &run->priv->tags);
  for (int i = 0; i < given->n; i++)
    sl_tags_set (tags, given->tag[i].key,
                 given->tag[i].value[0] != '\0' ? given->tag[i].value : NULL);
}

gboolean
sl_run_start_tagged (const SlRun *run, SlWriter *writer, SlTable *table, GError **error)
{
  put_tags (run, &table->tags);
  sl_run_put_values (run, table);
  g_autoptr (SlTable) header = sl_tag_columns_header (table, &run->priv->given, error);
  return header != NULL && sl_writer_start (writer, header, error);
}

char *
sl_run_tags (SlRun *run)
{
  SlTags tags = { 0 };
  put_tags (run, &tags);
  char *json = sl_tags_to_json (&tags);
  sl_tags_clear (&tags);
  return json;
}
