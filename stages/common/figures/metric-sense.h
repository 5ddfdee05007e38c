/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether more of a metric is better. */
#pragma once

/* 1: the largest is the best; -1: the least; 0: neither, or no metric of `score` and `compare`. */
int sl_metric_sense (const char *metric);
