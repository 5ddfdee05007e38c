/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How alike two annotators answer the items that both have answered. */
#pragma once

#include "stages/common/answers/answers-by-item.h"

/* K/(K-1) × share of pairs of answers to the same item that are the same - 1/(K-1): 1 if all are,
 * about 0 if as many as by chance. Of annotator a, with those whom a shares an item with, in
 * column[first[a]] .. column[first[a + 1] - 1]. */
typedef struct
{
  gint32 n;      /* annotators */
  gint64 *first; /* [n + 1] */
  gint32 *column;
  double *value;
} SlAgreement;

/* The most such pairs, each counted from both sides, that are taken on: any two of 8,192. */
#define SL_AGREEMENT_MOST (1 << 26)

/* FALSE where there are more. */
gboolean sl_agreement_init (SlAgreement *agreement, const SlByItem *by);
void sl_agreement_clear (SlAgreement *agreement);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlAgreement, sl_agreement_clear)
