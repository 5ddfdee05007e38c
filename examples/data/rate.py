#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes ratings.csv: how polite 120 messages are, from 1 to 5, as eight people rate them, and polite.csv: what they were made from.

People differ in how severe they are and in how much their ratings scatter; of eight, five rate a message. r7 rates at random."""
import random

STEPS = [1, 2, 3, 4, 5]
SEVERITY = {"r1": 0.0, "r2": 0.5, "r3": -0.5, "r4": 0.2, "r5": 0.0, "r6": 0.9, "r7": 0.0, "r8": -0.3}
SCATTER = {"r1": 0.5, "r2": 0.6, "r3": 0.6, "r4": 0.4, "r5": 0.8, "r6": 0.6, "r7": None, "r8": 0.5}

draw = random.Random(5)
with open("ratings.csv", "w", encoding="utf-8") as ratings, open("polite.csv", "w", encoding="utf-8") as truth:
    ratings.write("item,rater,rating\n")
    truth.write("item,gold\n")
    for m in range(1, 121):
        true = draw.choices(STEPS, [1, 2, 4, 3, 2])[0]
        truth.write(f"m{m:03d},{true}\n")
        for rater in sorted(draw.sample(sorted(SEVERITY), 5)):
            said = draw.choice(STEPS) if SCATTER[rater] is None else round(draw.gauss(true - SEVERITY[rater], SCATTER[rater]))
            ratings.write(f"m{m:03d},{rater},{min(max(said, 1), 5)}\n")
