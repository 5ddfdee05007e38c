/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotations.h"
#include "annotators.h"
#include "comparisons.h"
#include "confusion.h"
#include "costs.h"
#include "doubts.h"
#include "dynamics.h"
#include "features.h"
#include "items.h"
#include "labels.h"
#include "log.h"
#include "mixtures.h"
#include "noise.h"
#include "predictions.h"
#include "scores.h"
#include "simulator.h"

const SlKind *const sl_kinds[] = {
  &sl_annotations,  &sl_labels,    &sl_annotators,  &sl_confusion, &sl_items,
  &sl_scores,       &sl_simulator, &sl_mixtures,    &sl_features,  &sl_predictions,
  &sl_training_log, &sl_dynamics,  &sl_comparisons, &sl_doubts,    &sl_noise,
  &sl_costs,        NULL,
};
