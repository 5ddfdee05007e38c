/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `softlabel ingest`. */
#pragma once

#include "pipeline/command/run.h"

typedef struct
{
  int from; /* the format, in the table of formats.c; -1: not given */
  char *classes;
  char *classes_from;
  char **columns;
  int header; /* SlHeader */
  char *delimiter;
  char **missing; /* --na; NULL: what other programs write */
  int trim;       /* 0: yes, 1: no */
  char **renamed;
  int percent_scale; /* SlPercentScale */
  char **replace_percent;
  int zero_percent; /* SlZeroPercent, of form.h */
  char **labels;    /* --labels: a file for each of the files */
  char *items_from;
  char *item_prefix;
  gint64 severity; /* of CIFAR-10-C; 0: all rows */
  int layout;      /* SlLayout, of arrays.h */
  char *resize;
  int fit;       /* SlFit, of image-load.h */
  int item_part; /* SlItemPart, of image-list.h */
  char *pattern;
  char *class_map;
  char *rejects;
} SlIngestOptions;

extern const SlIngestOptions sl_ingest_defaults;
extern const SlOption sl_ingest_options[];
