/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "training.h"

/* out[training->size] <- the network's numbers as they are now. */
void sl_copy_values (const SlTraining *training, float *out);

/* NETWORK's parameters, *N_OWN, unless it is NULL, of *N, and OBJECTIVE's; to be freed. */
SlParameter *sl_all_parameters (SlNetwork *network, const SlObjective *objective, int *n,
                                int *n_own);

/* What OPTIONS say of the loss of NETWORK, whose last layer takes HIDDEN numbers. */
SlObjectivePlan sl_objective_plan_of (const SlTrainOptions *options, const SlTrainData *data,
                                      const SlNetworkPlan *network, gsize hidden);

/* What the network of OPTIONS is, for K classes and examples like EXAMPLES. */
SlNetworkPlan sl_network_plan_of (const SlTrainOptions *options, const SlExamples *examples,
                                  gsize k, int batch, int threads);
