/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "initialise.h"

#include "pipeline/base/random.h"

#include <math.h>

/* Each parameter has its own stream: (seed, number of the parameter). */
static void
draw (const SlParameterPlan *plan, float *value, SlRandom *random)
{
  gsize fan = plan->beginning == SL_BEGIN_KAIMING_OUT ? plan->fan_out : plan->fan_in;
  for (gsize i = 0; i < plan->parameter.size; i++)
    switch (plan->beginning)
      {
      case SL_BEGIN_UNIFORM:
        value[i] = (float) ((2 * sl_random_unit (random) - 1) / sqrt ((double) fan));
        break;
      case SL_BEGIN_KAIMING_IN:
      case SL_BEGIN_KAIMING_OUT:
        value[i] = (float) (sqrt (2 / (double) fan) * sl_random_normal (random));
        break;
      case SL_BEGIN_ZERO:
        value[i] = 0;
        break;
      case SL_BEGIN_ONE:
        value[i] = 1;
        break;
      case SL_BEGIN_UNIT:
        value[i] = (float) sl_random_unit (random);
        break;
      }
}

void
sl_initialise (const SlDescription *d, SlParameter *parameters, guint64 seed)
{
  guint32 purpose = sl_random_purpose ("network: initialisation");
  for (guint i = 0; i < d->parameters->len; i++)
    {
      SlRandom random = sl_random (seed, purpose, i, 0, 0);
      draw (&g_array_index (d->parameters, SlParameterPlan, i), parameters[i].value, &random);
    }
}
