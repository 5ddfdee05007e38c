/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One answer to the form of Collins, Bhatt & Weller 2022, section 4: the most likely class and its
 * percent, a second class and its percent where they were given, and the classes ticked as
 * impossible. */
#pragma once

#include "pipeline/base/json-value.h"
#include "stages/ingest/readers/field-values.h"

typedef enum
{
  SL_ZERO_HUNDRED,
  SL_ZERO_MISSING,
  SL_ZERO_KEEP,
} SlZeroPercent;

typedef struct
{
  char **replace_from; /* typed texts, NULL-terminated, and what they are read as */
  double *replace_to;
  SlZeroPercent zero; /* what a first percent of 0, or none, becomes */
  SlPercentScale scale;
  gboolean decimal_comma;
} SlAnswerFormRules;

typedef struct
{
  gboolean is_form;         /* FALSE: it is another form, and nothing else is set */
  char *first, *second;     /* class names; second is NULL for none */
  double percent, percent2; /* NaN: none; SL_PERCENT_UNREADABLE */
  GPtrArray *impossible;    /* of char * */
  double typed;             /* the first percent before the rules were applied to it */
  gboolean repaired;        /* it was 0, or none, and became 100 */
  gboolean percent2_alone;  /* a second percent was typed, but no second class chosen */
  int n_replaced;           /* percents */
  SlPercentCounts percents; /* typed as numbers */
} SlAnswerForm;

/* Parses texts TEXT=NUMBER. */
gboolean sl_answer_form_rules_init (SlAnswerFormRules *rules, char *const *replace,
                                    SlZeroPercent zero, SlPercentScale scale, GError **error);
void sl_answer_form_rules_clear (SlAnswerFormRules *rules);

/* Reads the form's answers, JSON[n], into FORM; returns NULL, or what is wrong. */
const char *sl_answer_form_parse (SlJsonParser *parser, const char *json, gsize n,
                                  const SlAnswerFormRules *rules, SlAnswerForm *form);
void sl_answer_form_clear (SlAnswerForm *form);
