/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What batches are made of: targets, orders, augmentation, mixing; and attacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "stages/common/network/soft-cross-entropy.h"
#include "stages/predict/attacks/attack.h"
#include "stages/train/batches/batch.h"
#include "stages/train/outputs/item-figures.h"

#include <math.h>
#include <string.h>

/* Three pools: {(1, 0), (.6, .4)} with equal weights, {(1, 0) three times, (0, 1) once},
 * nothing. */
static const gsize pool_start[] = { 0, 2, 4, 4 };
static const float pool_label[] = { 1, 0, .6f, .4f, 1, 0, 0, 1 };
static const double pool_weight[] = { 1, 1, 3, 1 };
static const SlPools pools = { 3, 2, (gsize *) pool_start, pool_label, NULL, pool_weight };

static void
mean_of_draws (const SlTargets *targets, gint32 pool, double mean[2], double *hard)
{
  enum
  {
    N = 100000
  };
  mean[0] = mean[1] = *hard = 0;
  for (gint64 epoch = 0; epoch < N; epoch++)
    {
      float t[2];
      sl_target_make (targets, 2, pool, 1, 17, epoch, t);
      mean[0] += t[0] / (double) N;
      mean[1] += t[1] / (double) N;
      *hard += (t[0] == 0 || t[0] == 1) / (double) N;
    }
}

static void
drawn_targets (void **state)
{
  (void) state;
  double mean[2], hard;
  SlTargets targets = { .kind = SL_TARGET_POOL, .pools = &pools, .seed = 5 };
  mean_of_draws (&targets, 0, mean, &hard);
  /* σ of the mean is .2 / sqrt (10^5) = .00063. */
  assert_near (mean[0], .8, .002);
  assert_near (mean[1], .2, .002);
  assert_near (hard, .5, .007);
  mean_of_draws (&targets, 1, mean, &hard);
  assert_near (mean[0], .75, .006); /* weights: σ .0014 */
  targets.hard = TRUE;
  mean_of_draws (&targets, 0, mean, &hard);
  assert_near (mean[0], .8, .006);
  assert_near (hard, 1, 1e-9);
  float t[2], again[2];
  sl_target_make (&targets, 2, 0, 1, 17, 3, t);
  sl_target_make (&targets, 2, 0, 1, 17, 3, again);
  assert_memory_equal (t, again, sizeof t);
}

static void
fixed_targets (void **state)
{
  (void) state;
  float t[2];
  SlTargets targets = { .kind = SL_TARGET_POOL, .pools = &pools, .mean = TRUE };
  sl_target_make (&targets, 2, 0, 1, 1, 0, t);
  assert_near (t[0], .8, 1e-7);
  targets.smoothing = .05;
  sl_target_make (&targets, 2, 0, 1, 1, 0, t);
  assert_near (t[0], .95 * .8 + .025, 1e-7);
  targets.top = TRUE;
  sl_target_make (&targets, 2, 0, 1, 1, 0, t);
  assert_near (t[0], .975, 1e-7);
  assert_false (sl_target_exists (&targets, 2, 1));
  targets.fill = TRUE;
  assert_true (sl_target_exists (&targets, 2, 1) && !sl_target_exists (&targets, 2, -1));
  sl_target_make (&targets, 2, 2, 1, 1, 0, t);
  assert_near (t[1], .975, 1e-7);
  targets = (SlTargets){ .kind = SL_TARGET_RANDOM, .seed = 1 };
  float more[3], same[3];
  sl_target_make (&targets, 3, -1, -1, 9, 0, more);
  sl_target_make (&targets, 3, -1, -1, 9, 1, same);
  assert_near (more[0] + more[1] + more[2], 1, 1e-6);
  assert_memory_equal (more, same, sizeof more);
}

static void
category_targets (void **state)
{
  (void) state;
  static const gsize start[] = { 0, 1, 2, 3 };
  static const float label[] = { .9f, .1f, 0, .7f, .2f, .1f, 0, 0, 1 };
  static const double weight[] = { 1, 1, 1 };
  const SlPools three = { 3, 3, (gsize *) start, label, NULL, weight };
  const gint32 pool[] = { 0, 1, 2 }, gold[] = { 0, 0, -1 };
  float category[9];
  sl_target_categories (&three, pool, gold, 3, category);
  const double expected[] = { .8, .15, .05, 0, 1, 0, 0, 0, 1 };
  for (int i = 0; i < 9; i++)
    assert_near (category[i], expected[i], 1e-7);
}

static void
orders (void **state)
{
  (void) state;
  gint32 order[1000], fold[1003];
  gint64 sum = 0, moved = 0;
  sl_shuffle (order, 1000, 3, "a", 0);
  for (int i = 0; i < 1000; i++)
    {
      sum += order[i];
      moved += order[i] != i;
    }
  assert_int_equal (sum, 999 * 1000 / 2);
  assert_true (moved > 990);
  int size[10] = { 0 };
  sl_fold_all (fold, 1003, 10, 3);
  for (int i = 0; i < 1003; i++)
    size[fold[i]]++;
  for (int f = 0; f < 10; f++)
    assert_true (size[f] == 100 || size[f] == 101);
}

static void
augmentation (void **state)
{
  (void) state;
  enum
  {
    SIDE = 8,
    N = 20000
  };
  float mean[1] = { .5f }, x[SIDE * SIDE], room[SIDE * SIDE];
  SlAugment augment = { 1, SIDE, SIDE, 2, TRUE, 0, mean };
  int flips = 0, still = 0;
  for (guint32 draw = 0; draw < N; draw++)
    {
      SlRandom random = sl_random (1, 2, 3, 4, draw);
      for (int i = 0; i < SIDE * SIDE; i++)
        x[i] = (float) (i + 1);
      sl_augment (&augment, &random, x, room);
      /* Around the middle nothing is black. */
      int a = (int) x[3 * SIDE + 3], b = (int) x[3 * SIDE + 4];
      assert_true (a - b == 1 || b - a == 1);
      flips += a > b;
      still += x[0] == 1 && x[1] == 2;
    }
  assert_near (flips / (double) N, .5, .018);      /* 5 σ */
  assert_near (still / (double) N, .5 / 25, .005); /* 5 σ */
  augment = (SlAugment){ 1, SIDE, SIDE, 0, FALSE, 4, mean };
  SlRandom random = sl_random (1, 2, 3, 4, 5);
  for (int i = 0; i < SIDE * SIDE; i++)
    x[i] = 1;
  sl_augment (&augment, &random, x, room);
  int n = 0;
  for (int i = 0; i < SIDE * SIDE; i++)
    n += x[i] == .5f;
  assert_true (n >= 4 && n <= 16);
}

/* Six examples of two bytes each. */
static const guint8 bytes[] = { 0, 255, 51, 0, 102, 0, 153, 0, 204, 0, 255, 0 };
static gconstpointer blocks[] = { bytes, bytes + 8 };
static guint64 keys[] = { 1, 2, 3, 4, 5, 6 };
static gint32 golds[] = { 0, 1, 0, 1, 0, 1 };
static const SlExamples examples = { 6, 2, 1, 1, 2, TRUE, blocks, 4, keys, golds };

static void
mixing (void **state)
{
  (void) state;
  SlTrainCase cases[6];
  const gint32 member[] = { 0, 1, 2, 3, 4, 5 };
  for (gint32 i = 0; i < 6; i++)
    cases[i] = (SlTrainCase){ i, -1, 1, -1, golds[i], keys[i] };
  SlBatchPlan plan = { .examples = &examples,
                       .cases = cases,
                       .member = member,
                       .n = 6,
                       .k = 2,
                       .batch = 4,
                       .targets = { .kind = SL_TARGET_GOLD },
                       .seed = 8 };
  float input[16];
  g_autoptr (SlLoader) plain = sl_loader_new (&plan, FALSE, input);
  sl_loader_begin (plain, 0);
  SlTrainBatch *batch = sl_loader_next (plain);
  assert_int_equal (batch->n, 4);
  for (gsize i = 0; i < 4; i++)
    {
      assert_near (input[2 * i], bytes[2 * batch->which[i]] / 255.0, 1e-7);
      assert_near (batch->target[2 * i], golds[batch->which[i]] == 0, 0);
    }
  assert_int_equal (sl_loader_next (plain)->n, 2);
  assert_null (sl_loader_next (plain));

  /* Mixed: x and t by the same share, and the same whether a thread works ahead or not. */
  plan.mixing.alpha = 1;
  g_autoptr (SlLoader) now = sl_loader_new (&plan, FALSE, input);
  g_autoptr (SlLoader) ahead = sl_loader_new (&plan, TRUE, NULL);
  for (gint64 epoch = 0; epoch < 20; epoch++)
    {
      sl_loader_begin (now, epoch);
      sl_loader_begin (ahead, epoch);
      for (SlTrainBatch *a; (a = sl_loader_next (now)) != NULL;)
        {
          SlTrainBatch *b = sl_loader_next (ahead);
          assert_int_equal (a->n, b->n);
          assert_memory_equal (input, b->input, a->n * 2 * sizeof (float));
          assert_memory_equal (a->target, b->target, a->n * 2 * sizeof (float));
          for (gsize i = 0; i < a->n; i++)
            assert_near (a->target[2 * i] + a->target[2 * i + 1], 1, 1e-6);
        }
      assert_null (sl_loader_next (ahead));
      /* An epoch that was left early does no harm. */
      sl_loader_begin (ahead, epoch);
      (void) sl_loader_next (ahead);
    }

  /* Beside: pairs of different classes, behind the others. */
  plan.mixing = (SlMixing){ .alpha = 10, .beside = 1, .apart = TRUE };
  float wide[32];
  g_autoptr (SlLoader) beside = sl_loader_new (&plan, FALSE, wide);
  sl_loader_begin (beside, 0);
  batch = sl_loader_next (beside);
  assert_int_equal (batch->n_plain, 4);
  assert_int_equal (batch->n, 8);
  for (gsize i = 4; i < 8; i++)
    assert_true (batch->target[2 * i] > 0 && batch->target[2 * i] < 1);
}

/* Answers of an item stand side by side, each as often as it was given; a row is two of the batch's
 * items by its share, whether the network mixes them or the batch has. */
static void
answers_in_pairs (void **state)
{
  (void) state;
  SlTrainCase cases[6];
  static const gsize answers_of[] = { 0, 1, 4, 4, 6, 8, 9 };
  static const gint32 vote[] = { 0, 1, 0, 1, 1, 0, 0, 1, 1 };
  static const gint32 annotator[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
  static const double weight[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  gint32 member[9];
  gsize row[9];
  for (gint32 i = 0; i < 6; i++)
    {
      cases[i] = (SlTrainCase){ i, -1, 1, i, golds[i], keys[i] };
      for (gsize a = answers_of[i]; a < answers_of[i + 1]; a++)
        member[a] = i, row[a] = a;
    }
  const SlPools given = { 6, 2, (gsize *) answers_of, NULL, vote, weight };
  SlBatchPlan plan = { .examples = &examples,
                       .cases = cases,
                       .member = member,
                       .n = 9,
                       .k = 2,
                       .batch = 5,
                       .targets = { .pools = &given },
                       .mixing = { .alpha = 1, .by_item = TRUE },
                       .annotator = annotator,
                       .row = row,
                       .answers_of = answers_of,
                       .n_items = 6,
                       .seed = 8 };
  SlBatchPlan inside = plan;
  inside.network_mixes = TRUE;
  float input[2 * 5], items[2 * 5];
  g_autoptr (SlLoader) out = sl_loader_new (&plan, FALSE, input);
  g_autoptr (SlLoader) in = sl_loader_new (&inside, FALSE, items);
  for (gint64 epoch = 0; epoch < 10; epoch++)
    {
      int seen[9] = { 0 }, last = -1, begun = 0;
      sl_loader_begin (out, epoch);
      sl_loader_begin (in, epoch);
      for (SlTrainBatch *a, *b; (a = sl_loader_next (out)) != NULL;)
        {
          b = sl_loader_next (in);
          assert_int_equal (b->n, a->n);
          assert_int_equal (b->pairs.items, 5);
          for (gsize i = 0; i < a->n; i++)
            {
              double s = a->rows.share[i];
              gint32 who = a->rows.annotator[i], other = a->rows.other[i];
              assert_memory_equal (b->target + 2 * i, a->target + 2 * i, 2 * sizeof (float));
              assert_near (a->target[2 * i + 1], s * vote[who] + (1 - s) * vote[other], 1e-6);
              for (int j = 0; j < 2; j++)
                {
                  double first = bytes[2 * member[who] + j] / 255.0;
                  double second = bytes[2 * member[other] + j] / 255.0;
                  assert_near (input[2 * i + j], s * first + (1 - s) * second, 1e-6);
                  assert_near (items[2 * b->pairs.first[i] + j], first, 1e-6);
                  assert_near (items[2 * b->pairs.second[i] + j], second, 1e-6);
                }
              assert_int_equal (a->which[i], member[s < 0.5 ? other : who]);
              begun += member[who] != last;
              last = member[who];
              seen[who]++;
            }
        }
      assert_null (sl_loader_next (in));
      assert_int_equal (begun, 5); /* items with answers */
      for (int i = 0; i < 9; i++)
        assert_int_equal (seen[i], 1);
    }
}

/* Pictures of two pixels that differ: what is mirrored is seen. Drawn once, a picture is alike in
 * all epochs, and is not what its neighbour is; drawn anew it is mirrored in half of them. */
static void
drawn_once (void **state)
{
  (void) state;
  static const SlExamples pairs = { 6, 1, 1, 2, 2, TRUE, blocks, 4, keys, golds };
  const gint32 member[] = { 0, 1, 2, 3, 4, 5 };
  SlTrainCase cases[6];
  for (gint32 i = 0; i < 6; i++)
    cases[i] = (SlTrainCase){ i, -1, 1, -1, golds[i], keys[i] };
  SlAugment augment = { .channels = 1, .height = 1, .width = 2, .flip = TRUE };
  SlBatchPlan plan = { .examples = &pairs,
                       .cases = cases,
                       .member = member,
                       .n = 6,
                       .k = 2,
                       .batch = 6,
                       .targets = { .kind = SL_TARGET_GOLD },
                       .augment = &augment,
                       .seed = 8 };
  float input[12];
  enum
  {
    EPOCHS = 400
  };
  for (int once = 0; once < 2; once++)
    {
      int mirrored[6] = { 0 }, always = 0;
      augment.once = once == 1;
      g_autoptr (SlLoader) loader = sl_loader_new (&plan, FALSE, input);
      for (gint64 epoch = 0; epoch < EPOCHS; epoch++)
        {
          sl_loader_begin (loader, epoch);
          SlTrainBatch *batch = sl_loader_next (loader);
          for (gsize i = 0; i < 6; i++)
            mirrored[batch->which[i]]
                += fabs (input[2 * i] - bytes[2 * batch->which[i]] / 255.0) > 1e-6;
        }
      for (int i = 0; i < 6; i++)
        {
          if (once == 0)
            assert_near (mirrored[i], EPOCHS / 2.0, 5 * sqrt (EPOCHS / 4.0));
          else
            assert_true (mirrored[i] == 0 || mirrored[i] == EPOCHS);
          always += mirrored[i] == EPOCHS;
        }
      assert_true (once == 0 ? always == 0 : always > 0 && always < 6);
    }
}

static void
mixtures_as_cases (void **state)
{
  (void) state;
  float x[2], room[2];
  const SlTrainCase at = { 1, 5, .25f, -1, -1, 0 };
  sl_case_get (&examples, &at, x, room);
  assert_near (x[0], .25 * .2 + .75 * 1, 1e-7);
  /* The published example: .3 of (1, 0, 0) with (0, .6, .4). */
  float first[] = { 1, 0, 0 };
  const float second[] = { 0, .6f, .4f };
  sl_mix_into (first, second, 3, .3f);
  assert_near (first[1], .42, 1e-7);
  float mean[2], std[2];
  const gint32 which[] = { 0, 1, 2, 3, 4, 5 };
  sl_examples_statistics (&examples, which, 6, 2, mean, std);
  assert_near (mean[0], .5, 1e-7);
  assert_near (std[0], sqrt (17.5 / 6) / 5, 1e-7);
  assert_near (mean[1], 1 / 6.0, 1e-7);
}

static void
item_figures (void **state)
{
  (void) state;
  static const gsize start[] = { 0, 2 };
  static const gint32 vote[] = { 0, 1 }, who[] = { 0, 1 };
  static const double weight[] = { 1, 1 }, worth[] = { .9, .9, .9, .1, .1, .1 };
  const SlPools answers = { 1, 3, (gsize *) start, NULL, vote, weight };
  SlItemFigures figures;
  sl_item_figures_init (&figures, 1, 3);
  figures.class[0] = 0;
  figures.answers = &answers;
  figures.annotator = who;
  figures.worth = worth;
  const float one[] = { logf (.7f), logf (.2f), logf (.1f) },
              two[] = { logf (.5f), logf (.3f), logf (.2f) };
  double room[3];
  sl_item_figures_add (&figures, 0, one, room);
  sl_item_figures_add (&figures, 0, two, room);
  assert_int_equal (figures.seen[0], 2);
  assert_near (figures.confidence[0], 1.2, 1e-6);
  assert_near (figures.square[0], .74, 1e-6);
  assert_near (figures.margin[0], log (3.5) + log (5 / 3.0), 1e-6);
  /* Answer 0 has the margin p0 - p1 with worth .9, answer 1 none. */
  assert_near (figures.waum[0], .9 * (.5 + .2), 1e-6);
  sl_item_figures_clear (&figures);
}

/* Logits W x: the published example of FGSM and of PGD. */
static void
attacks (void **state)
{
  (void) state;
  static const float w[2][3] = { { 1, -1, .5f }, { -1, 2, 0 } };
  const float origin[] = { .5f, .2f, .995f }, t[] = { .8f, .2f };
  const double losses[] = { .521377143, .525433263, .529879034, .529879034, .529879034 };
  for (int fgsm = 0; fgsm < 2; fgsm++)
    {
      float x[3], grad[3];
      memcpy (x, origin, sizeof x);
      for (int s = 0; s < 5; s++)
        {
          float z[2] = { 0, 0 }, z_grad[2];
          double room[2];
          for (int k = 0; k < 2; k++)
            for (int i = 0; i < 3; i++)
              z[k] += w[k][i] * x[i];
          double loss = sl_loss_soft (z, t, 1, 2, 1, z_grad, room);
          for (int i = 0; i < 3; i++)
            grad[i] = w[0][i] * z_grad[0] + w[1][i] * z_grad[1];
          if (s == 0)
            {
              assert_near (grad[0], -.179129, 1e-6);
              assert_near (grad[1], .268694, 1e-6);
              assert_near (grad[2], -.044782, 1e-6);
            }
          assert_near (loss, losses[fgsm && s == 1 ? 2 : s], 2e-7);
          sl_attack_step (x, origin, grad, 3, fgsm ? 4.0 / 255 : 2.0 / 255, 4.0 / 255);
        }
      const double end[] = { .484313725, .215686275, .979313725 };
      for (int i = 0; i < 3; i++)
        assert_near (x[i], end[i], 1e-7);
    }
  /* No gradient, no move; and never beyond 0 and 1. */
  float x[] = { .5f, 1, 0 };
  const float none[] = { 0, 1, -1 }, from[] = { .5f, 1, 0 };
  sl_attack_step (x, from, none, 3, .1, .1);
  assert_memory_equal (x, from, sizeof x);
  SlRandom random = sl_random (1, 2, 3, 4, 5);
  sl_attack_start (x, from, 3, .1, &random);
  assert_true (x[0] >= .4f && x[0] <= .6f && x[1] >= .9f && x[1] <= 1 && x[2] >= 0 && x[2] <= .1f);
  /* To both sides alike: U(-b, b) has mean 0 and variance b² / 3, their deviations of n draws being
   * b / sqrt (3 n) and sqrt (4 / 45 n) b². */
  enum
  {
    N = 1200
  };
  float many[N], middle[N];
  double sum = 0, square = 0, b = .1;
  for (int i = 0; i < N; i++)
    middle[i] = .5f;
  sl_attack_start (many, middle, N, b, &random);
  for (int i = 0; i < N; i++)
    {
      sum += many[i] - .5;
      square += (many[i] - .5) * (many[i] - .5);
    }
  assert_near (sum / N, 0, 5 * b / sqrt (3.0 * N));
  assert_near (square / N, b * b / 3, 5 * b * b * sqrt (4.0 / 45 / N));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (drawn_targets),     cmocka_unit_test (fixed_targets),
    cmocka_unit_test (category_targets),  cmocka_unit_test (orders),
    cmocka_unit_test (augmentation),      cmocka_unit_test (mixing),
    cmocka_unit_test (mixtures_as_cases), cmocka_unit_test (item_figures),
    cmocka_unit_test (attacks),           cmocka_unit_test (drawn_once),
    cmocka_unit_test (answers_in_pairs),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
