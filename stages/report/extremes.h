/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Few of many: those with the least keys, and a sample; which depends on the rows alone. */
#pragma once

#include "pictures.h"

typedef struct
{
  double key;
  guint64 tie; /* between equal keys the least comes first: a hash of the name, so that they are as
                  drawn by lot */
  char *name;
  double *values; /* whatever belongs to it */
  char *note;     /* likewise; NULL: nothing */
  gint32 code;
  char *text; /* of an item, as its tag `text` has it; NULL: there is none */
} SlExtreme;

typedef struct
{
  int most, n;
  SlExtreme *of; /* [n], the least key first */
} SlExtremes;

void sl_extremes_init (SlExtremes *extremes, int most);
void sl_extremes_clear (SlExtremes *extremes);

/* The place of what has KEY, to be filled; NULL: it is not among the first. Copies NAME[length]. */
SlExtreme *sl_extremes_add (SlExtremes *extremes, double key, guint64 tie, const char *name,
                            gsize length);

/* Images of them are wanted. */
void sl_extremes_want_pictures (const SlExtremes *extremes, SlPictures *pictures);

typedef struct
{
  guint64 hash;
  double x, y;
  int group;
} SlSampled;

/* At most MOST points, those with the least hashes. */
typedef struct
{
  gint64 seen;
  GArray *points; /* of SlSampled */
  guint most;
} SlSample;

void sl_sample_init (SlSample *sample, guint most);
void sl_sample_clear (SlSample *sample);
void sl_sample_add (SlSample *sample, guint64 hash, double x, double y, int group);
void sl_sample_finish (SlSample *sample); /* to be called before the points are looked at */
