/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sections.h"

const SlSection *const sl_sections[] = {
  &sl_section_labels,      &sl_section_annotations, &sl_section_annotators, &sl_section_items,
  &sl_section_confusion,   &sl_section_scores,      &sl_section_histograms, &sl_section_differences,
  &sl_section_comparisons, &sl_section_curves,      &sl_section_costs,      &sl_section_reliability,
  &sl_section_log,         &sl_section_dynamics,    &sl_section_doubts,     &sl_section_noise,
  &sl_section_mixtures,    &sl_section_simulator,   &sl_section_features,   NULL,
};
