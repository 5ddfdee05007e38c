/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "training.h"

/* out[training->size] <- the network's numbers as they are now. */
void sl_copy_values (const SlTraining *training, float *out);

/* What the network of OPTIONS is, for K classes and examples like EXAMPLES. */
SlNetworkPlan sl_network_plan_of (const SlTrainOptions *options, const SlExamples *examples,
                                  gsize k, int batch, int threads);

/* ---- the parts of sl_training_new() ---- */

/* Claims memory that goes with TRAINING. */
gboolean sl_training_claim (SlTraining *training, gsize bytes, const char *what, GError **error);

/* The network, begun at random, and that of items' difficulty where the loss has one. */
gboolean sl_make_networks (SlTraining *training, GError **error);

/* Everything that the optimiser moves. */
void sl_list_parameters (SlTraining *training);

/* The parameters of --init, but for a last layer of other classes. */
gboolean sl_take_init (SlTraining *training, GError **error);
