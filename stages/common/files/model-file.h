/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models as safetensors: one network, or several runs of one, whose arrays' names then begin with
 * "0.", "1.", ... */
#pragma once

#include "stages/common/network/network.h"
#include "pipeline/command/run.h"
#include "pipeline/files/safetensors.h"

typedef struct
{
  char *model;    /* "resnet34a" */
  char **classes; /* NULL-terminated */
  int n_classes;
  int channels, height, width;
  gboolean pixels;   /* bytes, taken as numbers from 0 to 1 */
  float *mean, *std; /* [channels]; NULL: as they are */
  char *runs;        /* JSON: of each run, what it is */
  char *answers;     /* JSON: of a loss of single answers, what it learned of whom; or NULL */
} SlModelHeader;

void sl_model_header_clear (SlModelHeader *header);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlModelHeader, sl_model_header_clear)

/* Writes the run's output, with the run's history and tags. VALUES[run]: the parameters of each of
 * N_RUNS runs, one behind the other as in PARAMETERS[n]. */
gboolean sl_model_write (SlRun *run, const SlModelHeader *header, const SlParameter *parameters,
                         int n, const float *const *values, gsize n_runs, GError **error);

typedef struct
{
  SlSafetensors file;
  SlModelHeader header; /* model and classes are NULL in files of other programs */
  gsize n_runs;
  SlTags tags;
} SlModelFile;

/* Reads PATH, which OPTION names; its history becomes an input's. What its tags become is for the
 * caller to say. */
gboolean sl_model_read (SlModelFile *model, SlRun *run, const char *option, const char *path,
                        GError **error);
/* The network of the model PATH, by its header alone; to be freed. */
char *sl_model_network_of (const char *path, GError **error);
void sl_model_file_clear (SlModelFile *model);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlModelFile, sl_model_file_clear)

/* The network's parameters become those of run INDEX. HEAD: the last layer may be missing or of
 * another size; *KEPT tells whether it was as it should be. */
gboolean sl_model_fill (const SlModelFile *model, gsize index, SlParameter *parameters, int n,
                        gboolean head, gboolean *kept, GError **error);
