/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader does with a batch, when Arrow has read it: refused, or a batch all of whose
 * values can be used, and that its writer takes. */
#include "pipeline/base/error.h"
#include "pipeline/arrow/plain-columns.h"
#include "pipeline/files/text/csv-json-out.h"
#include "pipeline/table/canonical/canonical.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/wide-labels.h"
#include "fuzz.h"
#include "made-batch.h"

#include <arrow-glib/arrow-glib.h>

/* Columns of types that Arrow GLib knows. */
static GArrowRecordBatch *
plain (GArrowRecordBatch *made, GError **error)
{
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (made);
  g_autoptr (GArrowSchema) known = sl_plain_schema (schema);
  return sl_plain_batch (made, known, error);
}

static GArrowRecordBatch *
folded (GArrowRecordBatch *raw, char ***classes, GError **error)
{
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (raw);
  g_autoptr (SlFolding) folding = sl_folding_new (schema, NULL, NULL);
  if (folding == NULL)
    return g_object_ref (raw);
  *classes = g_strdupv ((char **) sl_folding_classes (folding));
  g_autoptr (GArrowSchema) new_schema = sl_folding_schema (folding, schema, error);
  return new_schema != NULL ? sl_folding_batch (folding, raw, 0, error) : NULL;
}

/* The batch that the reader makes of RAW, whose columns may be any. */
static SlBatch *
taken (GArrowRecordBatch *raw, GError **error)
{
  g_auto (GStrv) classes = NULL;
  g_autoptr (GArrowRecordBatch) batch = folded (raw, &classes, error);
  if (batch == NULL)
    return NULL;
  g_autoptr (GArrowSchema) theirs = garrow_record_batch_get_schema (batch);
  g_autoptr (SlTable) table
      = sl_table_from_schema (theirs, NULL, (const char *const *) classes, error);
  if (table == NULL
      || (!sl_table_is_settled (table)
          && (!sl_table_settle (table, batch, error) || !sl_table_is_settled (table))))
    return NULL;
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  g_autoptr (GArrowRecordBatch) arrow = sl_canonical (table, schema, batch, 0, error);
  if (arrow == NULL)
    return NULL;
  g_autoptr (GError) problem = NULL;
  if (!garrow_record_batch_validate_full (arrow, &problem))
    sl_fuzz_fail ("what is called canonical is not valid: %s", problem->message);
  g_autoptr (SlBatch) made = sl_batch_new (table, arrow, 0, error);
  if (made == NULL || (table->kind->check != NULL && !table->kind->check (made, error))
      || !sl_tag_columns_check (made, error))
    return NULL;
  return g_steal_pointer (&made);
}

void
sl_fuzz_made_table (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArrowRecordBatch) made = sl_fuzz_made_batch (data, size);
  g_autoptr (GArrowRecordBatch) raw = plain (made, &error);
  g_autoptr (SlBatch) batch = raw != NULL ? taken (raw, &error) : NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  for (gint64 i = 0; batch != NULL && i < batch->n_rows; i++)
    {
      sl_csv_append (text, batch, i);
      sl_jsonl_append (text, batch, i);
    }
  if (!g_utf8_validate_len (text->str, text->len, NULL))
    sl_fuzz_fail ("a text in the table is not UTF-8");
  if (!sl_fuzz_write_valid (made, "made.arrows"))
    return;
  int status = sl_fuzz_run ("cat -j 1 made.arrows -o out.parquet", NULL, 0);
  /* A table without rows has no batch that its kind could look at. */
  if ((status == 0) != (batch != NULL) && garrow_record_batch_get_n_rows (made) > 0)
    sl_fuzz_fail ("of the batch the reader says: %s; of its stream cat: %d",
                  error != NULL ? error->message : "it is good", status);
}
