/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hmix: the files of H-Mix, what people said of mixtures of two images (Collins 2022, chapters 4
 * and 5; Collins, Bhatt et al. 2023); mixtures out. `task` says what was asked; rerun_ before it,
 * that the person had seen the mixture before. The name of a mixture is
 * mixed_SHARE_CLASS_ID_CLASS_ID.png, that of two images CLASS_ID_CLASS_ID; an ID is a number of
 * CIFAR-10's test set.
 *
 *   rate_mixture     {"mixingcoeff": m, "confidence": c}: of the first class 1 - m / 100 is seen
 *   select_create, select_shuffled   `final_value`, or {"select": "selectS"}: the share at which
 *                    one half is seen
 *   spec_conf        a form, which `ingest --from jspsych` reads: what was shown, and no share */
#include "pipeline/base/number-text.h"
#include "schemas/mixtures.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/features/cifar10-classes.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/readers/row-format.h"

#include <math.h>
#include <string.h>

enum
{
  ANNOTATOR,
  TASK,
  MIXTURE,
  PAIR,
  ANSWER,
  RESPONSE,
  FINAL,
  N_ROLES,
};

static const SlColumnRole roles[] = {
  [ANNOTATOR] = { "subject", SL_NAMES ("subject"), TRUE, NULL },
  [TASK] = { "task", SL_NAMES ("task"), TRUE, NULL },
  [MIXTURE] = { "filename", SL_NAMES ("filename"), FALSE, NULL },
  [PAIR] = { "class_pair", SL_NAMES ("classpair"), FALSE, NULL },
  [ANSWER] = { "responses", SL_NAMES ("responses"), FALSE, NULL },
  [RESPONSE] = { "response", SL_NAMES ("response"), FALSE, NULL },
  [FINAL] = { "final_value", SL_NAMES ("finalvalue"), FALSE, NULL },
  [N_ROLES] = { 0 },
};

static guint32
table_columns (const int *column)
{
  return 1u << SL_MIXTURES_ITEM | 1u << SL_MIXTURES_ANNOTATOR | 1u << SL_MIXTURES_FIRST
         | 1u << SL_MIXTURES_SECOND | 1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS
         | 1u << SL_MIXTURES_LAMBDA | 1u << SL_MIXTURES_HUMAN | 1u << SL_MIXTURES_CONFIDENCE
         | 1u << SL_MIXTURES_REPEAT;
}

/* The places of the values of a record in the room for roles. */
enum
{
  LAMBDA,
  HUMAN,
  CONFIDENCE,
  REPEAT,
};

static SlCell
field (const SlRowReading *reading, const SlCsvRows *records, int role, guint32 r)
{
  SlCell cell = { "", 0 };
  if (reading->place[role] >= 0)
    cell.text = sl_csv_field (records, reading->place[role], r, &cell.n);
  return cell;
}

static gboolean
takes (SlCell *cell, const char *start)
{
  gsize n = strlen (start);
  if (cell->n < n || memcmp (cell->text, start, n) != 0)
    return FALSE;
  *cell = (SlCell){ cell->text + n, cell->n - n };
  return TRUE;
}

static SlCell
next_part (SlCell *rest)
{
  const char *end = rest->n > 0 ? memchr (rest->text, '_', rest->n) : NULL;
  SlCell part = { rest->text, end != NULL ? (gsize) (end - rest->text) : rest->n };
  gsize past = part.n + (end != NULL);
  *rest = (SlCell){ rest->text + past, rest->n - past };
  return part;
}

/* Takes apart what a mixture, or a pair of images, is named: CLASS, ID, CLASS, ID; and its share,
 * where it has one. */
static gboolean
take_apart (SlCell name, SlCell part[4], double *share)
{
  if (name.n > 4 && memcmp (name.text + name.n - 4, ".png", 4) == 0)
    name.n -= 4;
  SlCell said;
  if (takes (&name, "mixed_")
      && !(said = next_part (&name), sl_parse_real (said.text, (gssize) said.n, share)))
    return FALSE;
  for (int i = 0; i < 4; i++)
    {
      part[i] = next_part (&name);
      if (part[i].n == 0)
        return FALSE;
    }
  return name.n == 0;
}

/* The name of what record R is about. */
static SlCell
name_of (const SlRowReading *reading, const SlCsvRows *records, guint32 r)
{
  SlCell mixture = field (reading, records, MIXTURE, r);
  return mixture.n > 0 ? mixture : field (reading, records, PAIR, r);
}

/* Of {"mixingcoeff": m, "confidence": c} what both come to. */
static gboolean
rated (SlJson answer, double *human, double *confidence)
{
  *human = 1 - sl_json_number (sl_json_get (answer, "mixingcoeff")) / 100;
  *confidence = sl_json_number (sl_json_get (answer, "confidence")) / 100;
  return *human >= 0 && *human <= 1 && *confidence >= 0 && *confidence <= 1;
}

/* The share that was chosen as the one that looks like a half. */
static gboolean
chosen (const SlRowReading *reading, const SlCsvRows *records, guint32 r, SlJson answer,
        double *share)
{
  SlCell value = field (reading, records, FINAL, r);
  if (value.n == 0)
    {
      value = sl_json_text (sl_json_get (answer, "select"));
      takes (&value, "select");
    }
  return value.n > 0 && sl_parse_real (value.text, (gssize) value.n, share);
}

static void
check_record (const SlRowReading *reading, SlCsvRows *records, guint32 r, SlJsonParser *parser,
              SlRowPiece *piece)
{
  SlCell task = field (reading, records, TASK, r), part[4];
  double share = NAN, human = NAN, confidence = NAN;
  if (task.n == 0) /* a page that asks nothing of a mixture */
    {
      sl_csv_rows_leave_out (records, r);
      return;
    }
  sl_row_reals (piece, REPEAT)[r] = takes (&task, "rerun_");
  SlCell text = field (reading, records, ANSWER, r);
  SlJson answer = { NULL, 0 };
  if (text.n == 0)
    text = field (reading, records, RESPONSE, r);
  if (field (reading, records, ANNOTATOR, r).n == 0)
    sl_csv_rows_bad (records, r, "subject is empty");
  else if (!take_apart (name_of (reading, records, r), part, &share))
    sl_csv_rows_bad (records, r, "neither filename nor class_pair is CLASS_ID_CLASS_ID");
  else if (text.n > 0 && sl_json_parse_cell (parser, text, &answer) != NULL)
    sl_csv_rows_bad (records, r, "the response is not JSON");
  else if (sl_cell_is (task, "rate_mixture") && !rated (answer, &human, &confidence))
    sl_csv_rows_bad (records, r, "mixingcoeff and confidence are not both from 0 to 100");
  else if (sl_cell_is (task, "select_create") || sl_cell_is (task, "select_shuffled"))
    {
      human = 0.5;
      if (!chosen (reading, records, r, answer, &share))
        sl_csv_rows_bad (records, r, "no share is chosen");
    }
  else if (!sl_cell_is (task, "rate_mixture") && !sl_cell_is (task, "spec_conf"))
    sl_csv_rows_bad (records, r,
                     "task is none of rate_mixture, select_create, select_shuffled and spec_conf");
  if (records->bad[r] == NULL && !(share >= 0 && share <= 1))
    sl_csv_rows_bad (records, r, "the share mixed is not from 0 to 1");
  sl_row_reals (piece, LAMBDA)[r] = share;
  sl_row_reals (piece, HUMAN)[r] = human;
  sl_row_reals (piece, CONFIDENCE)[r] = confidence;
}

static void
check (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  for (guint32 r = 0; r < records->n; r++)
    check_record (reading, records, r, parser, piece);
}

/* The code of a class as the name of a mixture writes it, whatever its case. */
static gint32
code_of (SlCoder *coder, SlCell class)
{
  gint32 code = sl_coder_code (coder, class.text, class.n);
  return code >= 0 ? code : sl_coder_alike (coder, class.text, class.n);
}

static void
code (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  for (guint32 r = 0; r < records->n; r++)
    {
      SlCell part[4];
      double share;
      take_apart (name_of (reading, records, r), part, &share);
      gint32 first = code_of (piece->coder, part[0]), second = code_of (piece->coder, part[2]);
      if (first < 0 || second < 0)
        sl_csv_rows_bad (records, r, "%.*s and %.*s are not both classes of CIFAR-10 (--classes)",
                         (int) part[0].n, part[0].text, (int) part[2].n, part[2].text);
      else if (first == second)
        sl_csv_rows_bad (records, r, "both classes are the same");
      sl_row_codes (piece, 0)[r] = first;
      sl_row_codes (piece, 1)[r] = second;
    }
}

static void
add_names (const SlRowReading *reading, const SlCsvRows *records, guint32 r, SlRowPiece *piece)
{
  SlCell name = name_of (reading, records, r), part[4];
  double share;
  take_apart (name, part, &share);
  SlBuilder *rows = piece->rows;
  g_autofree char *made = NULL;
  if (field (reading, records, MIXTURE, r).n == 0)
    {
      made = g_strdup_printf ("mixed_%.6g_%.*s_%.*s_%.*s_%.*s.png", sl_row_reals (piece, LAMBDA)[r],
                              (int) part[0].n, part[0].text, (int) part[1].n, part[1].text,
                              (int) part[2].n, part[2].text, (int) part[3].n, part[3].text);
      name = (SlCell){ made, strlen (made) };
    }
  sl_builder_text (rows, SL_MIXTURES_ITEM, name.text, name.n);
  sl_builder_text (rows, SL_MIXTURES_FIRST, part[1].text, part[1].n);
  sl_builder_text (rows, SL_MIXTURES_SECOND, part[3].text, part[3].n);
}

static void
add (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  sl_row_add_texts (reading, records, ANNOTATOR, SL_MIXTURES_ANNOTATOR, piece);
  sl_builder_classes (piece->rows, SL_MIXTURES_FIRST_CLASS, sl_row_codes (piece, 0), records->n);
  sl_builder_classes (piece->rows, SL_MIXTURES_SECOND_CLASS, sl_row_codes (piece, 1), records->n);
  for (guint32 r = 0; r < records->n; r++)
    {
      add_names (reading, records, r, piece);
      sl_builder_real (piece->rows, SL_MIXTURES_LAMBDA, sl_row_reals (piece, LAMBDA)[r]);
      sl_builder_real (piece->rows, SL_MIXTURES_HUMAN, sl_row_reals (piece, HUMAN)[r]);
      sl_builder_real (piece->rows, SL_MIXTURES_CONFIDENCE, sl_row_reals (piece, CONFIDENCE)[r]);
      sl_builder_bool (piece->rows, SL_MIXTURES_REPEAT, sl_row_reals (piece, REPEAT)[r] != 0);
    }
}

static const SlRowFormat format = {
  .kind = &sl_mixtures,
  .roles = roles,
  .n_roles = N_ROLES,
  .named = TRUE,
  .apart = TRUE,
  .classes = sl_cifar10_classes,
  .class_columns = (const int[]){ SL_MIXTURES_FIRST_CLASS, SL_MIXTURES_SECOND_CLASS, -1 },
  .gold_column = -1,
  .class_role = TASK,
  .columns = table_columns,
  .check = check,
  .code = code,
  .add = add,
};

const SlIngestFormat sl_ingest_hmix = {
  .roles = roles,
  .rows = &format,
};
