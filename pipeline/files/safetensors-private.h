/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "safetensors.h"

typedef struct
{
  const char *name;
  gsize width;
} SlSavedTypeInfo;

/* By SlSavedType. */
extern const SlSavedTypeInfo sl_saved_types[SL_SAVED_BOOL + 1];

/* What the header TEXT[n] says; the numbers that follow it are as many as it tells. */
gboolean sl_safetensors_parse (SlSafetensors *file, const char *text, gsize n, GError **error);
