/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of a file to codes of classes. */
#pragma once

#include "pipeline/base/intern/intern.h"

/* Intervals that numbers fall into: edge[k] up to below edge[k + 1], the last one with its end. */
typedef struct
{
  double *edge; /* [n + 1], rising */
  gint32 n;
} SlBins;

void sl_bins_free (SlBins *bins);

/* Which of BINS the number TEXT[n] falls into; -1: it is none, or lies outside. */
gint32 sl_bins_find (const SlBins *bins, const char *text, gsize n);

/* How a file's texts stand for classes. */
typedef struct
{
  char **missing;       /* texts that stand for no class, NULL-terminated: */
  int n_said;           /* first those that the user names */
  gboolean trim;        /* blanks around a name are no part of it */
  char **from;          /* texts that are read as others, NULL-terminated, */
  char **to;            /* and the classes that they stand for */
  SlBins *bins;         /* class k is what falls into bin k; NULL: classes are named */
  gboolean ignore_case; /* Cat and cat are one class, as it was written first */
} SlClassTexts;

/* MISSING: the texts of --na, or NULL; those that other programs write (NA, NaN, null ...) are
 * added unless one of them is empty. RENAMED: texts OLD=NEW of --rename-class, or NULL. */
gboolean sl_class_texts_init (SlClassTexts *texts, gboolean trim, char *const *missing,
                              char *const *renamed, GError **error);
void sl_class_texts_clear (SlClassTexts *texts);

/* Whether TEXT[n] stands for no class. */
gboolean sl_class_texts_missing (const SlClassTexts *texts, const char *text, gsize n);

/* Whether it does because the user has said so. */
gboolean sl_class_texts_said (const SlClassTexts *texts, const char *text, gsize n);

enum
{
  SL_CODE_UNKNOWN = -1,
  SL_CODE_MISSING = -2,
};

/* Serves one thread. KNOWN is shared by all threads and only read. Without it, every new name gets
 * the next code in `learned`. */
typedef struct
{
  const SlIntern *known;
  const SlClassTexts *texts;
  SlIntern *learned;
  struct _SlCoderSlot *recent; /* short texts seen lately */
  /* Made when first needed: what known names look like, and they in one case, to their codes. */
  GHashTable *alike, *folded;
} SlCoder;

/* TEXTS NULL: every text stands for itself. */
SlCoder *sl_coder_new (const SlIntern *known, const SlClassTexts *texts);
void sl_coder_free (SlCoder *coder);

/* The code of TEXT[n], or SL_CODE_... 16 bytes from TEXT on must be readable. */
gint32 sl_coder_code (SlCoder *coder, const char *text, gsize n);

/* The known class that looks like TEXT[n]; SL_CODE_UNKNOWN if none does, or several do. */
gint32 sl_coder_alike (SlCoder *coder, const char *text, gsize n);

/* Teaches ALL the classes that CODER has learned. MAP gets the code in ALL of those it does not
 * have yet. FOLDED, empty at first, tells names that differ in case alone, which get one code;
 * NULL: they are several classes. FALSE where ALL then has more than SL_MAX_CLASSES. */
gboolean sl_coder_merge (const SlCoder *coder, SlIntern *all, GHashTable *folded, GArray *map);
