# SPDX-License-Identifier: GPL-3.0-or-later
#
# Of human labels and predictions, both as CSV with the same classes: the run's name, how many predictions' largest class is the gold
# one, and the mean of -sum over classes of human label * log predicted probability.
#
#     awk -F, -f figures.awk -v run=NAME human.csv predictions.csv
FNR == 1 {
  file++
  for (i = 1; i <= NF; i++) {
    at[file, $i] = i
    if (file == 1 && sub(/^label\./, "", $i))
      name[++n_labels] = $i
  }
  next
}
file == 1 {
  for (k = 1; k <= n_labels; k++)
    human[$1, k] = $at[1, "label." name[k]]
  known[$1] = 1
  next
}
!($1 in known) {
  print "item " $1 " has no human label" > "/dev/stderr"
  failed = 1
  exit 1
}
{
  top = 1
  for (k = 1; k <= n_labels; k++) {
    p[k] = $at[2, "prob." name[k]]
    if (p[k] > p[top])
      top = k
    if (human[$1, k] > 0)
      entropy -= human[$1, k] * log(p[k])
  }
  right += name[top] == $at[2, "gold"]
  n++
}
END {
  if (!failed)
    printf "%s,%.4f,%.4f\n", run, right / n, entropy / n
}
