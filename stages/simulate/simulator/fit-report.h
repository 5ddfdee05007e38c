/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit beside what it was fitted to. */
#pragma once

#include "fit-counts.h"

/* The shares of OBSERVED are sorted. */
void sl_fit_report (SlRun *run, const SlSimulator *simulator, const SlFitCounts *counts);
