/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lewidi: sets of the shared tasks Learning With Disagreements, {id: {annotations, annotators,
 * ...}}. In 2023 annotations and annotators are lists with commas, in the same order; in 2025
 * annotations are {annotator: answer}. An empty answer is none: the test sets have no others. The
 * soft labels beside them are rounded, so they are not read: `aggregate --method mean` makes them.
 *
 * Where one vote names several classes, as in VariErrNLI, --question CLASS asks for each vote
 * whether it names that one: yes or no. An id is one item in one file alone, so where several files
 * are read the file's name stands before it. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

typedef struct
{
  char *prefix; /* of items, or NULL */
} LeWiDi;

static SlCell
cell_of (const char *text)
{
  return (SlCell){ text, strlen (text) };
}

/* The part of LIST before its first comma; LIST becomes what follows, {NULL} at the end. */
static SlCell
next_part (SlCell *list)
{
  const char *comma = memchr (list->text, ',', list->n);
  gsize n = comma != NULL ? (gsize) (comma - list->text) : list->n;
  SlCell part = { list->text, n };
  *list = comma != NULL ? (SlCell){ comma + 1, list->n - n - 1 } : (SlCell){ NULL, 0 };
  while (part.n > 0 && part.text[0] == ' ')
    part.text++, part.n--;
  while (part.n > 0 && part.text[part.n - 1] == ' ')
    part.n--;
  return part;
}

static gboolean
names_class (SlCell vote, const char *class)
{
  while (vote.text != NULL)
    if (sl_cell_is (next_part (&vote), class))
      return TRUE;
  return FALSE;
}

static gboolean
add (SlAnswersReader *answers, SlAnswer *answer, GError **error)
{
  const char *question = answers->ingest->options->question;
  if (answer->class.n == 0)
    {
      sl_answers_leave_out (answers, "without an answer", NULL);
      return TRUE;
    }
  if (question != NULL)
    answer->class = cell_of (names_class (answer->class, question) ? "yes" : "no");
  else if (memchr (answer->class.text, ',', answer->class.n) != NULL)
    return sl_answers_bad (answers, error,
                           "a vote names several classes: --question CLASS makes a table of who "
                           "named that one");
  return sl_answers_add (answers, answer, error);
}

/* As of 2023. */
static gboolean
take_lists (SlAnswersReader *answers, SlCell votes, SlCell names, SlAnswer *answer, GError **error)
{
  while (votes.text != NULL && names.text != NULL)
    {
      answer->class = next_part (&votes);
      answer->annotator = next_part (&names);
      if (!add (answers, answer, error))
        return FALSE;
    }
  return (votes.text == NULL && names.text == NULL)
         || sl_answers_bad (answers, error, "`annotations` has %s parts than `annotators`",
                            votes.text != NULL ? "more" : "fewer");
}

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  const LeWiDi *state = answers->state;
  SlJson votes = sl_json_get (record->value, "annotations");
  SlCell list = sl_json_text (votes),
         names = sl_json_text (sl_json_get (record->value, "annotators"));
  g_autofree char *item
      = g_strconcat (state->prefix != NULL ? state->prefix : "", record->key, NULL);
  SlAnswer answer = { .item = cell_of (item), .seconds = (double) NAN };
  if (list.text != NULL && list.n == 0)
    return add (answers, &answer, error);
  if (list.text != NULL && names.text != NULL)
    return take_lists (answers, list, names, &answer, error);
  if (sl_json_type (votes) != SL_JSON_OBJECT)
    return sl_answers_bad (answers, error,
                           "`annotations` is neither a list with commas beside `annotators`, nor "
                           "an object");
  for (SlJsonEach each = sl_json_each (votes); sl_json_each_next (&each);)
    {
      char room[SL_JSON_ROOM];
      answer.annotator = each.key;
      answer.class = sl_json_scalar (each.value, room);
      if (!add (answers, &answer, error))
        return FALSE;
    }
  return TRUE;
}

static void
clear (gpointer data)
{
  g_clear_pointer (&((LeWiDi *) data)->prefix, g_free);
}

static gboolean
begin_file (SlAnswersReader *answers, GError **error)
{
  LeWiDi *state = answers->state;
  clear (state);
  if (answers->ingest->files[1] == NULL)
    return TRUE;
  g_autofree char *name = g_path_get_basename (answers->path);
  char *dot = strrchr (name, '.');
  if (dot != NULL)
    *dot = '\0';
  state->prefix = g_strconcat (name, "/", NULL);
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .json = take,
  .members = TRUE,
  .state_bytes = sizeof (LeWiDi),
  .clear = clear,
  .begin_file = begin_file,
};

const SlIngestFormat sl_ingest_lewidi = { .answers = &format };
