/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plain-columns.h"

#include "reading-memory.h"

#include <arrow-glib/arrow-glib.h>
#include <arrow/c/abi.h>

/* How Arrow's C data interface writes the types that Arrow GLib lacks, and those that they become:
 * https://arrow.apache.org/docs/format/CDataInterface.html#data-type-description-format-strings */
static const struct
{
  const char *view, *plain;
} views[] = { { "vu", "u" }, { "vz", "z" }, { "+vl", "+l" }, { "+vL", "+L" } };

/* Makes TYPE plain; FALSE: it was so. */
static gboolean
make_plain (struct ArrowSchema *type)
{
  gboolean made = FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (views) && !made; i++)
    if (g_str_equal (type->format, views[i].view))
      {
        type->format = views[i].plain;
        made = TRUE;
      }
  for (gint64 i = 0; i < type->n_children; i++)
    made |= make_plain (type->children[i]);
  return made | (type->dictionary != NULL && make_plain (type->dictionary));
}

GArrowSchema *
sl_plain_schema (GArrowSchema *schema)
{
  g_autofree struct ArrowSchema *raw = garrow_schema_export (schema, NULL);
  gboolean made = FALSE;
  for (gint64 i = 0; raw != NULL && i < raw->n_children; i++)
    if (make_plain (raw->children[i]))
      {
        raw->children[i]->metadata = NULL; /* a text that is said to be JSON becomes a text */
        made = TRUE;
      }
  GArrowSchema *plain = made ? garrow_schema_import (raw, NULL) : NULL;
  if (raw != NULL && raw->release != NULL)
    raw->release (raw);
  return plain;
}

GArrowRecordBatch *
sl_plain_batch (GArrowRecordBatch *batch, GArrowSchema *schema, GError **error)
{
  return schema == NULL ? g_object_ref (batch) : sl_reading_cast_batch (batch, schema, error);
}
