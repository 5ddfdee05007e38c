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
  int zero_percent; /* SlZeroPercent, of answer-form.h */
  char **labels;    /* --labels: a file for each of the files */
  char *item_prefix;
  gint64 severity; /* of CIFAR-10-C; 0: all rows */
  int layout;      /* SlImageLayout, of arrays.c */
  char *resize;
  int fit;       /* SlFit, of image-load.h */
  int item_part; /* SlItemPart, of image-list.h */
  char *pattern;
  char *class_map;
  char *question;  /* the one that is read, of several */
  char *annotator; /* who answered, where the files do not say */
  char **keep;     /* statuses of answers that are left out without it */
  int repeats;     /* SlRepeats, of seen-pairs.h */
  char *reject_as; /* the class that an answer "reject" stands for */
  gboolean transpose;
  char *columns_like; /* a pattern of the columns that hold answers */
  char *trial_type;   /* of jsPsych */
  char *items;        /* a file of items' names, one a line, where the files have none */
  char *gold;         /* a file with the items' true classes */
  double rescale;     /* how far from 1 a distribution's sum may be */
  char *rejects;
} SlIngestOptions;

extern const SlIngestOptions sl_ingest_defaults;
extern const SlOption sl_ingest_options[];
