/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "stages/ingest/readers/answers.h"

typedef struct
{
  int item, annotator, answer, seconds; /* columns of CSV; -1: not there */
} SlLabelStudio;

/* Label Studio's CSV or TSV: the rows of JSON_MIN. Takes SOURCE. */
gboolean sl_labelstudio_read_csv (SlAnswers *answers, SlSource *source, GError **error);
