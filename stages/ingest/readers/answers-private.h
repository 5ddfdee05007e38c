/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of answers.h share: answers.c reads the files and finds the classes, answer-rows.c
 * makes rows of answers, answers-told.c keeps what the user is told. */
#pragma once

#include "schemas/annotations.h"
#include "answers.h"
#include "seen-pairs.h"

typedef struct
{
  char *why;
  const char *keep;
  gint64 n;
} SlLeftOut;

struct _SlAnswersPrivate
{
  SlTable *shape; /* as the table will be, but for its classes */
  SlBuilder *rows;
  GPtrArray *waiting; /* of SlBuilder, with codes of the coders */
  SlClassSearch classes;
  SlCoder *coder, *gold_coder;
  SlSeenPairs *seen;
  GArray *left_out;     /* of SlLeftOut */
  GPtrArray *questions; /* that were met, at most MOST_QUESTIONS */
};

/* Rows that are ready go to the table, or wait until its classes are known. */
gboolean sl_answers_hand_on (SlAnswers *answers, GError **error);

/* Sets ERROR where more classes were met than a table can have. */
gboolean sl_answers_too_many_classes (const SlAnswers *answers, GError **error);

void sl_answers_left_out_clear (gpointer data);

/* What was left out, and why, in one line. */
void sl_answers_tell_left_out (SlAnswers *answers);

/* Nobody answered the question that was asked for. */
gboolean sl_answers_fail_question (const SlAnswers *answers, GError **error);
