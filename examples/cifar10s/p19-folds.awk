# SPDX-License-Identifier: GPL-3.0-or-later
#
# Peterson et al.'s scores, a row a fold: means over the folds and their differences, as lines of figures.awk.
#
#     awk -f p19-folds.awk -v network=NAME NAME_False_master_scores.csv NAME_True_master_scores.csv
BEGIN {
  FS = ","
  t = 2.262157 # Student's t at .975 with 9 degrees of freedom
  n = split("c10h_train c10h_train_c10 c10h_val v4 v6 c10_50k cinic imagenet32x32", set, " ")
}
{
  sub(/\r$/, "")
}
FNR == 1 {
  side++
  for (i = 1; i <= NF; i++)
    at[side, $i] = i
  for (i = 1; i <= n; i++)
    if (!((side, "epoch") in at) || !((side, set[i] "_loss") in at) || !((side, set[i] "_acc") in at)) {
      print "p19-folds.awk: " FILENAME " has no column epoch, " set[i] "_loss or " set[i] "_acc" > "/dev/stderr"
      failed = 1
      exit 1
    }
  next
}
{
  folds[side] = FNR - 1
  epoch[side, FNR - 1] = $at[side, "epoch"]
  for (i = 1; i <= n; i++) {
    value[side, set[i] "_loss", FNR - 1] = $at[side, set[i] "_loss"]
    value[side, set[i] "_acc", FNR - 1] = $at[side, set[i] "_acc"]
  }
}
# Of one side, or of the first less the second.
function of(side, what, fold) {
  return side < 3 ? value[side, what, fold] : value[1, what, fold] - value[2, what, fold]
}
function line(side, group, i, measure, metric,  fold, sum, squares, mean) {
  for (fold = 1; fold <= 10; fold++)
    sum += of(side, set[i] measure, fold)
  mean = sum / 10
  for (fold = 1; fold <= 10; fold++)
    squares += (of(side, set[i] measure, fold) - mean) ^ 2
  printf "%s,%s,,,%s,%s,%.4f,%.4f,10\n", set[i], network, group, metric, mean, t * sqrt(squares / 90)
}
END {
  if (failed)
    exit 1
  if (folds[1] != 10 || folds[2] != 10) {
    print "p19-folds.awk: " network " has not ten folds of both kinds" > "/dev/stderr"
    exit 1
  }
  for (i = 1; i <= n; i++) {
    line(1, "table=first", i, "_loss", "cross_entropy")
    line(2, "table=second", i, "_loss", "cross_entropy")
    line(3, "table=first - second", i, "_loss", "cross_entropy")
    line(1, "table=first", i, "_acc", "accuracy")
    line(2, "table=second", i, "_acc", "accuracy")
    line(3, "table=first - second", i, "_acc", "accuracy")
  }
  for (side = 1; side <= 2; side++) {
    least = most = epoch[side, 1]
    for (fold = 1; fold <= 10; fold++) {
      least = epoch[side, fold] < least ? epoch[side, fold] : least
      most = epoch[side, fold] > most ? epoch[side, fold] : most
    }
    printf "epochs,%s,,,%s,epoch,%s–%s,,10\n", network, side == 1 ? "table=first" : "table=second", least, most
  }
}
