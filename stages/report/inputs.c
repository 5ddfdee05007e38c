/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a report: opened, and called by what tells them apart. */
#include "report.h"

#include <string.h>

/* Files of one name are told apart by their folders. */
static void
tell_names_apart (SlReport *report, char **paths)
{
  int n = report->n_inputs;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j && strcmp (report->input[i].name, report->input[j].name) == 0)
        {
          g_free (report->input[i].label);
          report->input[i].label = g_strdup (paths[i]);
        }
  for (int i = 0; i < n; i++)
    if (report->input[i].label != NULL)
      {
        g_free (report->input[i].name);
        report->input[i].name = g_steal_pointer (&report->input[i].label);
      }
}

/* Whether another table of INPUT's kind has KEY with another value, or not at all. */
static gboolean
tells_apart (const SlReport *report, const SlReportInput *input, const SlTag *tag)
{
  for (int i = 0; i < report->n_inputs; i++)
    if (report->input[i].table->kind == input->table->kind
        && g_strcmp0 (sl_tags_get (&report->input[i].table->tags, tag->key), tag->value) != 0)
      return TRUE;
  return FALSE;
}

static char *
label_of (const SlReport *report, const SlReportInput *input)
{
  GString *label = g_string_new (NULL);
  const SlTags *tags = &input->table->tags;
  for (int t = 0; t < tags->n; t++)
    if (tells_apart (report, input, &tags->tag[t]))
      g_string_append_printf (label, "%s%s=%s", label->len > 0 ? ", " : "", tags->tag[t].key,
                              tags->tag[t].value);
  return g_string_free (label, FALSE);
}

/* Tables whose tags do not tell them apart are called by their names. */
static void
label_inputs (SlReport *report)
{
  int n = report->n_inputs;
  g_autofree gboolean *plain = g_new0 (gboolean, (guint) n);
  for (int i = 0; i < n; i++)
    report->input[i].label = label_of (report, &report->input[i]);
  for (int i = 0; i < n; i++)
    {
      plain[i] = *report->input[i].label == '\0';
      for (int j = 0; j < n; j++)
        plain[i] |= i != j && report->input[i].table->kind == report->input[j].table->kind
                    && strcmp (report->input[i].label, report->input[j].label) == 0;
    }
  for (int i = 0; i < n; i++)
    if (plain[i])
      {
        g_free (report->input[i].label);
        report->input[i].label = g_strdup (report->input[i].name);
      }
}

gboolean
sl_report_open (SlReport *report, char **files, GError **error)
{
  char *standard[] = { (char *) "-", NULL };
  char **paths = files[0] != NULL ? files : standard;
  guint n = g_strv_length (paths);
  report->input = g_new0 (SlReportInput, n);
  for (guint i = 0; i < n; i++)
    {
      SlReportInput *input = &report->input[i];
      report->n_inputs = (int) i + 1;
      input->reader = sl_run_open (report->run, NULL, paths[i], NULL, error);
      if (input->reader == NULL)
        return FALSE;
      input->table = sl_table_ref (sl_reader_table (input->reader));
      input->name = strcmp (paths[i], "-") == 0 ? g_strdup (sl_reader_name (input->reader))
                                                : g_path_get_basename (paths[i]);
    }
  tell_names_apart (report, paths);
  label_inputs (report);
  return TRUE;
}

void
sl_report_close (SlReport *report)
{
  for (int i = 0; i < report->n_inputs; i++)
    {
      SlReportInput *input = &report->input[i];
      g_clear_pointer (&input->reader, sl_reader_free);
      g_clear_pointer (&input->table, sl_table_unref);
      g_free (input->name);
      g_free (input->label);
    }
  g_clear_pointer (&report->input, g_free);
}
