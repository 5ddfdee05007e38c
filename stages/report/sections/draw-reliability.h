/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of how often what is said with some confidence is right. */
#pragma once

#include "stages/common/figures/reliability.h"
#include "stages/report/page.h"

/* A figure of BINS, called TITLE. */
void sl_draw_reliability (SlPage *page, const char *title, const SlReliability *bins);
