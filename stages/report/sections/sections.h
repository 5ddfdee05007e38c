/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file a section, named in report.c, in the order of the page. */
#pragma once

#include "stages/report/report.h"

extern const SlSection sl_section_labels;
extern const SlSection sl_section_annotations;
extern const SlSection sl_section_annotators;
extern const SlSection sl_section_pairs;
extern const SlSection sl_section_percents;
extern const SlSection sl_section_items;
extern const SlSection sl_section_confusion;
extern const SlSection sl_section_scores;
extern const SlSection sl_section_curves;
extern const SlSection sl_section_reliability;
extern const SlSection sl_section_log;
extern const SlSection sl_section_dynamics;
extern const SlSection sl_section_mixtures;
extern const SlSection sl_section_simulator;
extern const SlSection sl_section_differences;
extern const SlSection sl_section_side_by_side;
extern const SlSection sl_section_mixing_curves;
extern const SlSection sl_section_comparisons;
extern const SlSection sl_section_costs;
extern const SlSection sl_section_doubts;
extern const SlSection sl_section_noise;
extern const SlSection sl_section_features;
extern const SlSection sl_section_histograms;
