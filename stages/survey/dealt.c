/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --allocation of items to batches: JSON, an array of batches, each an array of items; or an object
 * whose members are the batches. */
#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/shown-text.h"
#include "study.h"

#include <string.h>

typedef struct
{
  SlStudy *study;
  const char *path;
  GHashTable *index; /* names to items */
  GHashTable *met;   /* items, by names: to the batch that they were in last, from 1 */
} Dealing;

static gboolean
take_item (Dealing *dealing, guint batch, SlJson name, GError **error)
{
  char room[SL_JSON_ROOM];
  SlCell cell = sl_json_scalar (name, room);
  g_autofree char *text = cell.text != NULL ? g_strndup (cell.text, cell.n) : g_strdup ("");
  g_autofree char *shown = sl_shown (text, strlen (text));
  SlSurveyItem *item = g_hash_table_lookup (dealing->index, text);
  if (item == NULL)
    return sl_error_bad_input (error, "--allocation: %s: batch %u: '%s' is not one of the items",
                               dealing->path, batch, shown);
  if (item->role != SL_ROLE_ASKED)
    return sl_error_bad_input (error, "--allocation: %s: batch %u: '%s' is a check or practice",
                               dealing->path, batch, shown);
  if (GPOINTER_TO_UINT (g_hash_table_lookup (dealing->met, item->name)) == batch)
    return sl_error_bad_input (error, "--allocation: %s: batch %u has '%s' twice", dealing->path,
                               batch, shown);
  g_hash_table_insert (dealing->met, item->name, GUINT_TO_POINTER (batch));
  g_ptr_array_add (dealing->study->dealt_items, item);
  return TRUE;
}

static gboolean
take_batches (Dealing *dealing, SlJson batches, GError **error)
{
  SlStudy *study = dealing->study;
  guint n = 0;
  for (SlJsonEach batch = sl_json_each (batches); sl_json_each_next (&batch);)
    {
      gsize length = sl_json_length (batch.value);
      n++;
      if (sl_json_type (batch.value) != SL_JSON_ARRAY || length == 0)
        return sl_error_bad_input (error, "--allocation: %s: batch %u is no list of items",
                                   dealing->path, n);
      study->dealt_each = n == 1 ? length : study->dealt_each;
      if (length != study->dealt_each)
        return sl_error_bad_input (
            error,
            "--allocation: %s: batch %u and batch 1 have %zu and %zu items: they must have as many",
            dealing->path, n, length, study->dealt_each);
      for (SlJsonEach item = sl_json_each (batch.value); sl_json_each_next (&item);)
        if (!take_item (dealing, n, item.value, error))
          return FALSE;
    }
  return n > 0
         || sl_error_bad_input (error, "--allocation: %s: there are no batches in it",
                                dealing->path);
}

gboolean
sl_study_read_dealt (SlStudy *study, GHashTable *index, GError **error)
{
  const char *path = study->options->allocation;
  g_autoptr (GError) problem = NULL;
  g_autofree char *text = NULL;
  gsize n;
  SlJson batches;
  if (!sl_named_file_read (path, &text, &n, &problem))
    return sl_error_runtime (error, "--allocation: %s: cannot be read: %s", path, problem->message);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  const char *wrong = sl_json_parse_cell (parser, (SlCell){ text, n }, &batches);
  if (wrong != NULL)
    return sl_error_bad_input (error, "--allocation: %s: %s", path, wrong);
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  Dealing dealing = { study, path, index, met };
  study->dealt_items = g_ptr_array_new ();
  if (!take_batches (&dealing, batches, error))
    return FALSE;
  guint left = 0;
  for (guint i = 0; i < study->items->len; i++)
    {
      SlSurveyItem *item = study->items->pdata[i];
      if (item->role != SL_ROLE_ASKED || g_hash_table_contains (met, item->name))
        continue;
      item->role = SL_ROLE_NONE;
      left++;
    }
  if (left > 0)
    sl_run_warn (study->run, "--allocation: items in no batch, which are not asked about: %u",
                 left);
  return TRUE;
}

gint32 *
sl_study_dealt (const SlStudy *study)
{
  g_autoptr (GHashTable) place = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < study->items->len; i++)
    g_hash_table_insert (place, study->items->pdata[i], GINT_TO_POINTER ((int) i));
  gint32 *dealt = g_new (gint32, study->dealt_items->len);
  for (guint i = 0; i < study->dealt_items->len; i++)
    dealt[i] = GPOINTER_TO_INT (g_hash_table_lookup (place, study->dealt_items->pdata[i]));
  return dealt;
}
