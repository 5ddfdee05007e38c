/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands.h"

#include "pipeline/base/nearest.h"

#include <string.h>

/* In the order of the chain, then the tools. */
extern const SlCommand sl_command_survey, sl_command_ingest, sl_command_exclude,
    sl_command_redistribute, sl_command_aggregate, sl_command_deaggregate, sl_command_simulate_fit,
    sl_command_simulate_elicit, sl_command_simulate_crowd, sl_command_simulate_compare,
    sl_command_simulate_mixup, sl_command_simulate_fit_mixup, sl_command_agreement,
    sl_command_judge, sl_command_train, sl_command_predict, sl_command_doubts, sl_command_cost,
    sl_command_score, sl_command_compare, sl_command_pivot, sl_command_report, sl_command_show,
    sl_command_cat, sl_command_select, sl_command_overlay, sl_command_control, sl_command_join,
    sl_command_schema, sl_command_describe, sl_command_id, sl_command_verify, sl_command_history,
    sl_command_cache_ls, sl_command_cache_prune, sl_command_cache_why;

const SlCommand *const sl_commands[] = {
  &sl_command_survey,
  &sl_command_ingest,
  &sl_command_exclude,
  &sl_command_redistribute,
  &sl_command_aggregate,
  &sl_command_deaggregate,
  &sl_command_simulate_fit,
  &sl_command_simulate_elicit,
  &sl_command_simulate_crowd,
  &sl_command_simulate_compare,
  &sl_command_simulate_fit_mixup,
  &sl_command_simulate_mixup,
  &sl_command_agreement,
  &sl_command_judge,
  &sl_command_select,
  &sl_command_overlay,
  &sl_command_control,
  &sl_command_join,
  &sl_command_train,
  &sl_command_predict,
  &sl_command_doubts,
  &sl_command_cost,
  &sl_command_score,
  &sl_command_compare,
  &sl_command_pivot,
  &sl_command_report,
  &sl_command_show,
  &sl_command_cat,
  &sl_command_schema,
  &sl_command_describe,
  &sl_command_id,
  &sl_command_verify,
  &sl_command_history,
  &sl_command_cache_ls,
  &sl_command_cache_prune,
  &sl_command_cache_why,
  NULL,
};

const SlCommand *
sl_command_find (char **argv, int *n_words)
{
  for (int i = 0; argv[0] != NULL && sl_commands[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (sl_commands[i]->name, " ", -1);
      int n = 0;
      while (words[n] != NULL && argv[n] != NULL && strcmp (words[n], argv[n]) == 0)
        n++;
      if (words[n] != NULL)
        continue;
      *n_words = n;
      return sl_commands[i];
    }
  return NULL;
}

const SlCommand *
sl_command_by_name (const char *name)
{
  for (int i = 0; sl_commands[i] != NULL; i++)
    if (strcmp (sl_commands[i]->name, name) == 0)
      return sl_commands[i];
  return NULL;
}

gboolean
sl_command_is_of (const SlCommand *command, const char *word)
{
  gsize length = strlen (word);
  return strncmp (command->name, word, length) == 0 && command->name[length] == ' ';
}

gboolean
sl_command_is_family (const char *word)
{
  for (int i = 0; sl_commands[i] != NULL; i++)
    if (sl_command_is_of (sl_commands[i], word))
      return TRUE;
  return FALSE;
}

const char *
sl_command_nearest (const char *word)
{
  const char *names[G_N_ELEMENTS (sl_commands)] = { NULL };
  for (gsize i = 0; sl_commands[i] != NULL; i++)
    names[i] = sl_commands[i]->name;
  return sl_nearest (word, names);
}
