/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan.h"

#include "pipeline/base/random.h"

#include <string.h>

static SlRandom
stream (const SlPlan *plan, const char *purpose, guint64 key, guint32 draw)
{
  return sl_random (plan->seed, sl_random_purpose (purpose), 0, key, draw);
}

/* FIRST, FIRST + 1, ... in VALUES[n]. */
static void
count_up (gint32 *values, int n, int first)
{
  for (int i = 0; i < n; i++)
    values[i] = first + i;
}

static int
batches_of (int n, int each)
{
  return each > 0 ? (n + each - 1) / each : 0;
}

int
sl_plan_batches (const SlPlan *plan)
{
  if (plan->dealt != NULL)
    return plan->n_dealt;
  int high = batches_of (plan->n_items - plan->n_low, plan->each - plan->low_each);
  return high > 0 ? high : batches_of (plan->n_low, plan->low_each);
}

/* Philox as a hash: each 8 bytes are enciphered, with their place and the length, under the key
 * that the ones before them have left. BLOCK is the last cipher. */
static void
absorb (guint32 key[2], const char *name, gsize n, guint32 block[4])
{
  gsize at = 0;
  do
    {
      guint8 bytes[8] = { 0 };
      if (n > at)
        memcpy (bytes, name + at, MIN (n - at, sizeof bytes));
      const guint32 counter[4] = {
        (guint32) bytes[0] | (guint32) bytes[1] << 8 | (guint32) bytes[2] << 16
            | (guint32) bytes[3] << 24,
        (guint32) bytes[4] | (guint32) bytes[5] << 8 | (guint32) bytes[6] << 16
            | (guint32) bytes[7] << 24,
        (guint32) (at / 8),
        (guint32) n,
      };
      sl_philox (counter, key, block);
      key[0] = block[0];
      key[1] = block[1];
      at += 8;
    }
  while (at < n);
}

guint64
sl_plan_key (const char *name, gsize n)
{
  guint32 key[2] = { 0, 0 }, block[4];
  absorb (key, name, n, block);
  return (guint64) block[1] << 32 | block[0];
}

void
sl_plan_opaque (guint64 seed, const char *name, gsize n, char *out)
{
  SlRandom random = sl_random (seed, sl_random_purpose ("survey: names"), 0, 0, 0);
  guint32 key[2] = { sl_random_u32 (&random), sl_random_u32 (&random) }, block[4];
  absorb (key, name, n, block);
  g_snprintf (out, 33, "%08x%08x%08x%08x", block[0], block[1], block[2], block[3]);
}

void
sl_plan_cover (guint64 seed, guint8 *text, gsize n)
{
  SlRandom random = sl_random (seed, sl_random_purpose ("survey: cover"), 0, 0, 0);
  for (gsize i = 0; i < n; i += 4)
    {
      guint32 mask = sl_random_u32 (&random);
      for (gsize j = i; j < MIN (i + 4, n); j++)
        text[j] ^= (guint8) (mask >> (8 * (j - i)));
    }
}

/* A whole number from 1, as people count: no sign, no zero in front, nine digits at most; else 0.
 * */
static int
number_of (const char *name, gsize n)
{
  int number = 0;
  if (n < 1 || n > 9 || name[0] == '0')
    return 0;
  for (gsize i = 0; i < n; i++)
    {
      if (!g_ascii_isdigit (name[i]))
        return 0;
      number = 10 * number + (name[i] - '0');
    }
  return number;
}

int
sl_plan_batch_of (const SlPlan *plan, const char *name, gsize n)
{
  int number = number_of (name, n), batches = sl_plan_batches (plan);
  if (number > 0)
    return (number - 1) % batches;
  SlRandom random = stream (plan, "survey: batch", sl_plan_key (name, n), 0);
  return (int) sl_random_below (&random, (guint64) batches);
}

/* The EACH members of BATCH among the N items from FIRST on: items are shuffled once, dealt in
 * turn, and dealt again from the start where they do not come out even. */
static void
deal (const SlPlan *plan, guint32 stratum, int first, int n, int each, int batch, gint32 *members)
{
  SlRandom random = stream (plan, "survey: batches", 0, stratum);
  g_autofree gint32 *all = g_new (gint32, (gsize) n + 1);
  count_up (all, n, first);
  sl_random_shuffle (&random, all, n);
  for (int i = 0; i < each; i++)
    members[i] = all[((gint64) batch * each + i) % n];
}

static void
insert (SlPlanTrial *trials, int n, int at, SlPlanTrial trial)
{
  memmove (trials + at + 1, trials + at, (gsize) (n - at) * sizeof *trials);
  trials[at] = trial;
}

/* One of the places behind trial LOW up to HIGH, at random. */
static int
place (SlRandom *random, int low, int high)
{
  return high > low ? low + 1 + (int) sl_random_below (random, (guint64) (high - low)) : high;
}

/* One check in each of as many equal parts of the TRIALS[n], from the last on, so that places in
 * front stay what they are. */
static void
add_checks (const SlPlan *plan, SlRandom *random, SlPlanTrial *trials, int n)
{
  g_autofree gint32 *checks = g_new (gint32, (gsize) plan->n_checks + 1);
  int c = plan->checks_each;
  count_up (checks, plan->n_checks, plan->n_items);
  sl_random_shuffle (random, checks, plan->n_checks);
  for (int j = c - 1; j >= 0; j--)
    {
      int low = (int) ((gint64) j * n / c), high = (int) ((gint64) (j + 1) * n / c);
      insert (trials, n + c - 1 - j, place (random, low, high),
              (SlPlanTrial){ checks[j], SL_TRIAL_CHECK });
    }
}

/* Items of the first half come again: behind all others, or one in each of as many parts of the
 * last third, from the last on. */
static void
add_repeats (const SlPlan *plan, SlRandom *random, SlPlanTrial *trials, int n)
{
  g_autofree gint32 *again = g_new (gint32, (gsize) n + 1);
  int r = plan->repeats, found = 0, start = (2 * n + 2) / 3;
  for (int i = 0; i < n && (i < (n + 1) / 2 || found < r); i++)
    if (trials[i].kind == SL_TRIAL_ITEM)
      again[found++] = trials[i].item;
  sl_random_shuffle (random, again, found);
  for (int j = r - 1; j >= 0; j--)
    {
      int low = start + (int) ((gint64) j * (n - start) / r);
      int high = start + (int) ((gint64) (j + 1) * (n - start) / r);
      insert (trials, n + r - 1 - j, plan->repeats_at_end ? n : place (random, low, high),
              (SlPlanTrial){ again[j], SL_TRIAL_REPEAT });
    }
}

void
sl_plan_order (const SlPlan *plan, guint64 key, int batch, SlPlanTrial *trials)
{
  SlRandom random = stream (plan, "survey: order", key, (guint32) batch);
  int n = plan->each, high = plan->each - plan->low_each;
  g_autofree gint32 *members = g_new (gint32, (gsize) n + 1);
  if (plan->dealt != NULL)
    memcpy (members, plan->dealt + (gsize) batch * (gsize) n, (gsize) n * sizeof *members);
  else if (high > 0)
    deal (plan, 0, 0, plan->n_items - plan->n_low, high, batch, members);
  if (plan->low_each > 0)
    deal (plan, 1, plan->n_items - plan->n_low, plan->n_low, plan->low_each, batch, members + high);
  sl_random_shuffle (&random, members, n);
  for (int i = 0; i < n; i++)
    trials[i] = (SlPlanTrial){ members[i], SL_TRIAL_ITEM };
  if (plan->checks_each > 0)
    add_checks (plan, &random, trials, n);
  if (plan->repeats > 0)
    add_repeats (plan, &random, trials, n + plan->checks_each);
}

void
sl_plan_classes (const SlPlan *plan, guint64 key, gint32 *order)
{
  SlRandom random = stream (plan, "survey: classes", key, 0);
  count_up (order, plan->n_classes, 0);
  sl_random_shuffle (&random, order, plan->n_classes);
}

void
sl_plan_ends (const SlPlan *plan, guint64 key, int batch, guint8 *swapped)
{
  SlRandom random = stream (plan, "survey: ends", key, (guint32) batch);
  for (int i = 0; i < sl_plan_trials (plan); i++)
    swapped[i] = sl_random_u32 (&random) & 1;
}
