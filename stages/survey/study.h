/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study: what is asked, about which items, of whom. */
#pragma once

#include "pipeline/command/options/option.h"
#include "pipeline/command/run.h"
#include "pipeline/text/csv-columns.h"
#include "plan.h"

/* The options of `softlabel survey`. */

typedef enum
{
  SL_TASK_SOFT,
  SL_TASK_VOTE,
  SL_TASK_RANK,
  SL_TASK_MIXTURE,
  SL_TASK_DISTRIBUTION,
} SlSurveyTask;

typedef enum
{
  SL_SURVEY_NAME, /* a.png of cat/a.png */
  SL_SURVEY_PATH, /* cat/a.png, below the folder that was named */
  SL_SURVEY_STEM, /* a */
} SlSurveyItemPart;

typedef struct
{
  int task; /* SlSurveyTask */
  char *classes;
  char *items;
  int item_part; /* SlSurveyItemPart */
  char *mixtures;
  gint64 batch;   /* trials */
  gint64 repeats; /* of them */
  int repeats_at; /* 1: the end */
  char *checks;
  gint64 checks_each; /* 0: one for 20 trials */
  char *practice;
  char *entropy_from;
  gint64 low_each;
  double low_entropy; /* nats */
  char *from_agreement;
  gint64 ask; /* items; 0: one batch */
  char *allocation;
  gint64 annotators;
  int perspective; /* 0: third person, 1: first */
  gboolean no_alternative;
  int class_order; /* 1: shuffled */
  char *display;   /* as-is, or pixels */
  gboolean embed;
  char *title, *question, *instructions, *consent, *code, *post;
  gboolean list;
  char *language;
  gint64 top;       /* classes of an answer; 0: as the task has them */
  int display_size; /* what `display` says; 0: as is */
} SlSurveyOptions;

extern const SlOption sl_survey_options[];
extern const SlSurveyOptions sl_survey_defaults;
extern const char *const sl_survey_tasks[];

/* Ranges and contradictions; finds display_size. */
gboolean sl_survey_check_options (SlOptions *given, GError **error);

/* What an item is there for. */
typedef enum
{
  SL_ROLE_ASKED,
  SL_ROLE_LOW, /* asked, of low entropy */
  SL_ROLE_CHECK,
  SL_ROLE_PRACTICE,
  SL_ROLE_NONE, /* an end of mixtures, or not asked about */
} SlSurveyRole;

/* Pixels of an item that came in a table; or of one that was read. */
typedef struct
{
  gint32 width, height;
  int channels;
  guint8 *pixels; /* [height][width][channels]; NULL: none */
} SlSurveyPixels;

typedef struct
{
  char *name; /* in answers */
  char opaque[33];
  SlSurveyRole role;
  gint32 practice; /* its place among practice trials */
  char *gold;      /* or NULL */
  char *text;      /* of a table of texts; or NULL */
  char *path;      /* of an image; or NULL */
  SlSurveyPixels pixels;
  /* Of a mixture: its ends, their classes, and the share of the first. */
  gint32 end[2];
  char *end_name[2], *end_class[2];
  double lambda;
} SlSurveyItem;

typedef struct
{
  SlRun *run;
  const SlSurveyOptions *options;
  char **classes;
  GPtrArray *items; /* of SlSurveyItem; in the plan's order once they are settled */
  GPtrArray *ends;  /* of SlSurveyItem: what mixtures are mixed of; or NULL */
  int n_practice;
  SlPlan plan;
  GHashTable *allocation; /* names to batches from 1, as pointers; or NULL */
  GPtrArray *allotted;    /* those names, in the file's order */
  GPtrArray *dealt_items; /* of --allocation of items: those of batch 1, then 2, ...; or NULL */
  gsize dealt_each;       /* items a batch */
  gint32 *dealt;          /* their places: plan.dealt */
} SlStudy;

void sl_study_clear (SlStudy *study);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlStudy, sl_study_clear)

/* Everything that the options name is read, and the plan made. */
gboolean sl_study_read (SlStudy *study, SlRun *run, GError **error);

/* Batch of NAME, from 0. */
int sl_study_batch_of (const SlStudy *study, const char *name);

/* items-in.c: reads --items into ITEMS. */
gboolean sl_study_read_items (SlStudy *study, GPtrArray *items, GError **error);
SlSurveyItem *sl_survey_item_new (const char *name, gssize length);
GPtrArray *sl_survey_items_new (void);

/* Reads --mixtures into study->items; study->ends has what they are made of. */
gboolean sl_study_read_mixtures (SlStudy *study, GError **error);

/* roles.c: which items are checks, practice, of low entropy, or not asked. INDEX: names to
 * items. */
gboolean sl_study_give_roles (SlStudy *study, GHashTable *index, GError **error);
gboolean sl_study_read_allocation (SlStudy *study, GError **error);

/* Reads --allocation of items to batches; INDEX: names to items. */
gboolean sl_study_read_dealt (SlStudy *study, GHashTable *index, GError **error);

/* The places of those items, to be freed, once study->items are in the plan's order. */
gint32 *sl_study_dealt (const SlStudy *study);

/* Small CSV files that options name. */

/* Whether PATH is CSV by its name: .csv or .tsv. */
gboolean sl_side_is_csv (const char *path);

/* Hands the fields of ROLES[n_roles] of each record of PATH, which OPTION names, to TAKE; an
 * optional column that is not there is "". TAKE returns NULL, or what is wrong, to be freed. */
gboolean sl_side_csv (SlRun *run, const char *option, const char *path, const SlColumnRole *roles,
                      int n_roles, char *(*take) (char **fields, gpointer data), gpointer data,
                      GError **error);
