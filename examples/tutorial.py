# SPDX-License-Identifier: GPL-3.0-or-later
"""The tutorial (docs/tutorial.md) in Python: from answers in a CSV file to labels, a model and a page of figures.

    python examples/tutorial.py examples/data

Each step prints what the command of its number prints; report.html is written into the current folder.
"""
import os
import sys

import softlabel

data = sys.argv[1]
votes, truth, embeddings = (os.path.join(data, name) for name in ("votes.csv", "truth.csv", "embeddings.parquet"))

# 1. Take the answers in
answers = softlabel.ingest(votes, from_="long")
print(answers.show(rows=2))

# 2. How far do they agree?
print(answers.agreement().show(where="metric = alpha"))
print(answers.agreement(by="annotators", sort="agreement", ascending=True, top=3).show())

# 3. Leave careless annotators out
kept = answers.exclude(min_agreement=0.3, report=True)
annotators = kept.outputs["report"].to_pandas()
print(annotators.loc[annotators["excluded"], ["annotator", "answers", "reason"]].to_string(index=False), "\n")

# 4. Make labels of the answers
labels = kept.aggregate(method="auto", tag={"method": "auto"})
majority = kept.aggregate(method="majority", tag={"method": "majority"})
print(labels.show(where="label.Cat > 0.1", sort="label.Cat", rows=3))
print("a matrix of", labels.to_numpy().shape, "\n")

# 5. How good are they?
scores = [table.score(gold=truth, metrics=["accuracy", "brier", "ece"]) for table in (labels, majority)]
print(softlabel.pivot(*scores))

# 6. Train on them
training = {"features": embeddings, "model": "softmax", "lr": 0.05, "epochs": 50}
model = labels.train(**training, log="log.parquet")
folds = labels.train(**training, folds=5, held_out="held-out.parquet")
held_out = softlabel.Table("held-out.parquet")

# 7. Predict
predictions = softlabel.predict(embeddings, model=model)
print(len(predictions), "predictions\n")

# 8. Score the model
scores.append(held_out.score(gold=True, metrics=["accuracy", "brier", "ece"], tag={"method": "network"}))
print(softlabel.pivot(*scores, digits=2))

# 9. What to look at again
doubts = labels.doubts(predictions=held_out, noise=True)
print(doubts.to_pandas()[["item", "given", "predicted"]].head(2).to_string(index=False), "\n")

# 10. See it all, and how it came to be
page = softlabel.report(labels, kept.outputs["report"], *scores, held_out, "log.parquet", doubts, doubts.outputs["noise"])
page.save("report.html")
print(labels.history)
