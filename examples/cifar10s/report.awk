# SPDX-License-Identifier: GPL-3.0-or-later
#
# The report, in Markdown: the papers' figures beside ours.
#
#     awk -F, -f report.awk -v done=WHAT [-v sample=1] papers.csv scores.csv pairs.csv labels.csv
FNR == 1 {
  file++
}
file == 1 {
  paper[$1, $2, $3] = $5
  next
}
FILENAME ~ /labels.csv$/ {
  label_figure[++n_label_figures] = $6
  label_value[n_label_figures] = $7
  next
}
FILENAME ~ /pairs.csv$/ {
  if ($5 == "table=first - second")
    add_difference()
  next
}
{
  if (!(($2, $3) in seen)) {
    seen[$2, $3] = 1
    if (!($2 in has))
      network[++n_networks] = $2
    has[$2]++
    condition[$2, has[$2]] = $3
  }
  value[$2, $3, $1, $6] = $7
  shown[$2, $3, $1, $6] = $8 == "" ? $7 : $7 " ± " $8
  if ($9 > runs)
    runs = $9
}
# A seed's; the mean of all seeds' is behind them.
function add_difference(  row) {
  row = $2 SUBSEP $3
  if (!(row in seeds))
    differing[++n_differing] = row
  seeds[row]++
  sum[row] += $7
  by_seed[row] = by_seed[row] (seeds[row] > 1 ? "; " : "") $7 " ± " $8
}
function differences(  i, name) {
  print "\n## Differences, image by image\n\nIn cross-entropy on the test images, of networks of the same seed and held-out images. Below 0 the first labels are better."
  print "Each seed's interval is of images drawn again (95 %)."
  print "\n| network | labels | seed by seed | mean |\n|---|---|---|---|"
  for (i = 1; i <= n_differing; i++) {
    split(differing[i], name, SUBSEP)
    printf "| %s | %s | %s | %.4f |\n", name[1], name[2], by_seed[differing[i]], sum[differing[i]] / seeds[differing[i]]
  }
}
function cell(n, c, tested, metric) {
  return shown[n, c, tested, metric] == "" ? "·" : shown[n, c, tested, metric]
}
function beside(c, tested, metric) {
  return sample || paper[tested, c, metric] == "" ? "·" : paper[tested, c, metric]
}
function table(n, title, tested,  i, c, empty) {
  empty = 1
  for (i = 1; i <= has[n]; i++)
    if ((n, condition[n, i], tested, "cross_entropy") in value)
      empty = 0
  if (empty)
    return
  printf "\n### %s, `%s`\n\n", title, n
  print "| labels | accuracy | cross-entropy | papers | RMS calibration | without the last bin | papers | cross-entropy, attacked | papers |"
  print "|---|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= has[n]; i++) {
    c = condition[n, i]
    if ((n, c, tested, "cross_entropy") in value)
      printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c, cell(n, c, tested, "accuracy"), cell(n, c, tested, "cross_entropy"),
        beside(c, tested, "cross_entropy"), cell(n, c, tested, "calibration_rms"), cell(n, c, tested "-bins", "calibration_rms"),
        beside(c, tested "-bins", "calibration_rms"), cell(n, c, tested "-attacked", "cross_entropy"), beside(c, tested "-attacked", "cross_entropy")
  }
}
function corrupted(n,  i, c, any) {
  for (i = 1; i <= has[n]; i++) {
    c = condition[n, i]
    if (!((n, c, "10h-corrupted", "cross_entropy") in value))
      continue
    if (!any++)
      printf "\n### Corrupted images, `%s`\n\n| labels | cross-entropy | papers |\n|---|---|---|\n", n
    printf "| %s | %s | %s |\n", c, cell(n, c, "10h-corrupted", "cross_entropy"), beside(c, "10h-corrupted", "cross_entropy")
  }
}
# Whether hard labels are worst and those of people best, as in every paper.
function order(n, tested, title,  list, i, k, text, good) {
  k = split("hard random uniform human", list, " ")
  good = 1
  for (i = 1; i <= k; i++) {
    if (!((n, list[i], tested, "cross_entropy") in value))
      return
    text = text (i > 1 ? ", " : "") list[i] " " value[n, list[i], tested, "cross_entropy"]
    if (i > 1 && value[n, list[i], tested, "cross_entropy"] + 0 >= value[n, list[i - 1], tested, "cross_entropy"] + 0)
      good = 0
  }
  printf "- `%s`, %s: %s: %s\n", n, title, text, good ? "in the papers' order" : "not in the papers' order"
}
END {
  printf "# Soft labels of CIFAR-10S\n\nDone: %s. Values are means ± half a 95 %% interval, over %d runs.\n", done, runs
  if (sample)
    print "The data are made up, so no paper's figures stand beside them."
  print "\n## Hard, random, uniform and human labels, by cross-entropy\n"
  for (i = 1; i <= n_networks; i++) {
    order(network[i], "10h", "the test images, against CIFAR-10H")
    order(network[i], "10s", "the held-out images of CIFAR-10S")
  }
  print "\n## Figures"
  for (i = 1; i <= n_networks; i++) {
    table(network[i], "The test images, against CIFAR-10H", "10h")
    table(network[i], "The held-out images of CIFAR-10S, drawn anew for each seed", "10s")
    table(network[i], "Ten folds of all images, against CIFAR-10H", "folds")
    corrupted(network[i])
  }
  if (n_differing > 0)
    differences()
  print "\n## The labels themselves, against CIFAR-10H\n\n| T2 clamp | |\n|---|---|"
  for (i = 1; i <= n_label_figures; i++)
    printf "| %s | %s |\n", label_figure[i], label_value[i]
}
