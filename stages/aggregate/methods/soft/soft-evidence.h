/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that are distributions, as evidence whose strength is learned. An answer q of annotator
 * a, with the first choice f, tells a class k from others by
 *
 *     e[k] = sum over x of g[x] log theta_a[k][x]
 *            + w * sum over x of log P(x is ruled out, or not | k),   w = 1 / (2 (K - 1))
 *     g    = (1 - z) q + z of f,   z .2, .6 or 1: how often a's mass goes to x where k is true;
 *            first choices count a little more than their percents say, or, where these mean
 *            nothing, alone
 *
 * A class x is ruled out by q[x] = 0; how often people rule out what class, right or wrong, is the
 * crowd's. The K - 1 verdicts of an answer go together, and all count as half of one. Where no
 * answer is divided between classes, all are votes and rule nothing out: w is 0, z .2
 * and S 1. The label is
 *
 *     T_i[k] ~ prior[k] * exp (S / (1 + rho (n_i - 1)) * sum over answers of s_a e[k])
 *
 * since n_i answers that go wrong together with correlation rho are worth n_i / (1 + rho (n_i - 1))
 * (calibrate.h). Everything else is learned, round by round, from all answers together:
 *
 *     theta_a[k][x] = (C_a[k][x] + m c[k][x]) / (sum over x of C_a[k][x] + m),
 *     C_a[k][x]     = sum over a's answers of t[k] g[x],   c: the same of the whole crowd and of
 *                     ten answers more that confuse all classes alike, whose
 *                     rows sum to 1, and m of the powers of 2 from 4 to 512 by which each answer,
 *                     by a theta_a that has not seen it, best tells what the item's others say
 *     t             = l * ((1 - o) of f + o/K) + (1 - l) T_i,   l = 1.5^2 / (1.5^2 + (n_i - 1)^2),
 *                     o = .03, or .2 where all answers are votes
 *     s_a           = exp (u_a - u): how far a's answers can be believed, by which s_a e best
 *                     tells the label that the item's other answers make,
 *                     sum of T_-j[k] log softmax (log prior + exp (u_a) e)[k] - (u_a - u)^2 / 0.18
 *
 * Confusion is identified by three answers an item (Kruskal, Linear Algebra and its Applications
 * 18, 1977); of one or two, T_i would but repeat what it was made of, and grow flatter by each
 * round. So these mostly count for what they say themselves. o is what best predicts the other
 * first choices of items of which one answer was shown (CIFAR-10S). Rounds use rho / 2,
 * as labels too soft make the confusion look worse than it is. There are 14, or fewer where labels
 * change by less than 1e-4 in the mean; rho, m and s_a are learned in every other one, or in each
 * where v is learned, too.
 *
 * T_-j, the label by all answers of the item but j, stands for the item as somebody else has not
 * seen it: rho is where T_-j best predicts q_j, the answer left out,
 *
 *     argmax sum over j and x of q_j[x] log (sum over k of T_-j[k] psi[k][x]) / 10
 *            - 2 (log rho/r)^2,   1 + 4 r = S (1 + 4 * 0.2)
 *
 * with psi the crowd's confusion of masses. z and S, 1, 1.3, 1.6, 2 or 3, are likewise where T_-j,
 * by the crowd's theta of each z, predicts q_j best, less 1 for each doubling of S, and the z there
 * is where no other is better by 2; rho goes with S, so that five answers are worth what they were.
 * Mass that is divided without a meaning makes every theta flat, and e too small throughout. Where
 * items are many, one in 2, 4, 8 ..., by a hash of its evidence, is enough to choose rho, m, z and
 * S by. Gold is never looked at, but where items keep their class (SlMethodSettings.fix_gold).
 *
 * The above is for the truth. What the next person would choose is
 *
 *     P_i ~ v_1 (sum of q) + v_2 (sum of f) + v_3 T_i phi + v_4 T_i,   phi: the crowd's confusion
 *                                                                      of first choices
 *
 * with v and rho by which the same, made of all answers but j, best predicts f_j: some items
 * confuse nobody (T_i), others as many as usual (T_i phi), and others have a confusion of their
 * own, which the answers seen tell. Here and in phi, people count by what their answers tell,
 * s_a^2: what is said at random is not how people are divided.
 *
 * Sums over answers, items and annotators are of numbers rounded to one grid, whose sum is exact:
 * labels do not depend on threads, nor on the order of rows. Where matrices for all annotators
 * would take more than 1 GiB, theta is the crowd's. Memory: the labels, and what soft-memory.c
 * says; sums once for each part of the answers, which are so few that these take no more
 * memory than the answers do. */
#pragma once

#include "stages/common/methods/method.h"

/* What the evidence is worth, for tests and tables. */
typedef struct
{
  double correlation;                  /* rho */
  double shrinkage;                    /* m */
  double first_share, scale;           /* z, S */
  double seen, first, confused, truth; /* v; their sum is 1 */
  double predicted;                    /* mean log-probability of the answers left out; for people
                                          of their first choices */
  gint64 rounds;
} SlSoftEvidence;

gboolean sl_soft_evidence (const SlItems *items, const SlAnswers *answers,
                           const SlMethodSettings *settings, SlLearned *learned,
                           SlSoftEvidence *found, GError **error);
