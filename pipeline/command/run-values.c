/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ordered classes: what those of the inputs stand for, the same classes of outputs stand for. */
#include "run-private.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/rising.h"

typedef struct
{
  double value;
  char *from; /* the input that says so */
} Told;

static void
told_free (gpointer data)
{
  g_free (((Told *) data)->from);
  g_free (data);
}

static gboolean
refuse (const char *class, const Told *told, double value, const char *name, GError **error)
{
  char before[SL_REAL_CHARS], now[SL_REAL_CHARS];
  int n_before = (int) sl_format_real (before, told->value);
  int n_now = (int) sl_format_real (now, value);
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "class '%s' stands for %.*s in %s and for %.*s in %s; `softlabel cat --ordered "
               "--values` of one of them settles it",
               class, n_before, before, told->from, n_now, now, name);
  return FALSE;
}

gboolean
sl_run_add_values (SlRun *run, const char *name, char *const *classes, const double *values,
                   GError **error)
{
  SlRunPrivate *priv = run->priv;
  if (values == NULL || run->command->flags & SL_COMMAND_TEXT)
    return TRUE;
  if (priv->class_values == NULL)
    priv->class_values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, told_free);
  for (int k = 0; classes[k] != NULL; k++)
    {
      const Told *before = g_hash_table_lookup (priv->class_values, classes[k]);
      if (before != NULL && before->value != values[k])
        return refuse (classes[k], before, values[k], name, error);
      if (before != NULL)
        continue;
      Told *told = g_new (Told, 1);
      *told = (Told){ values[k], g_strdup (name) };
      g_hash_table_insert (priv->class_values, g_strdup (classes[k]), told);
    }
  return TRUE;
}

double *
sl_run_class_values (const SlRun *run, char *const *classes)
{
  gint32 n = (gint32) g_strv_length ((char **) classes);
  g_autofree double *values = g_new (double, MAX (n, 1));
  for (gint32 k = 0; k < n; k++)
    {
      const Told *told = run->priv->class_values != NULL
                             ? g_hash_table_lookup (run->priv->class_values, classes[k])
                             : NULL;
      if (told == NULL)
        return NULL;
      values[k] = told->value;
    }
  return n > 0 && sl_values_rise (values, n) ? g_steal_pointer (&values) : NULL;
}

void
sl_run_put_values (const SlRun *run, SlTable *table)
{
  if (table->values == NULL)
    table->values = sl_run_class_values (run, table->classes);
}
