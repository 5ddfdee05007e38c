/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a program share: its buffers and its steps. */
#pragma once

#include "placing.h"
#include "program.h"

typedef struct
{
  SlPlace place; /* in the program's memory; first and last are steps */
  float *fixed;  /* or here */
} SlProgramBuffer;

typedef struct
{
  SlPrimitive *primitive; /* NULL: a function */
  SlCall *call;
  SlStepFunction function;
  gpointer data;
  int n;
  SlUse uses[SL_N_ROLES];
  SlStepCall arguments;
} SlProgramStep;

#define SL_BUFFER(program, i) (&g_array_index ((program)->buffers, SlProgramBuffer, i))
#define SL_STEP(program, i) (&g_array_index ((program)->steps, SlProgramStep, i))
