# SPDX-License-Identifier: GPL-3.0-or-later
#
# The report, in Markdown: how it was made, and the papers' figures beside ours.
#
#     awk -f report.awk FS='\t' how FS=, papers.csv scores.csv pairs.csv labels.csv [data-figures.md] notes.md
#
# `how` has a fact a line: sample, seeds, soft, … VALUE; network NAME STUDIES; train NETWORK LABELS OPTIONS; about LABELS WHAT. In papers.csv a
# `setting` is what the papers have where `how` has ours. A note that begins with [STUDY] is of that study alone.
FILENAME ~ /how$/ {
  sub(/^ +/, "", $1)
  if ($1 == "network")
    add_network($2, $3)
  else if ($1 == "train")
    add_training($2, $3, $4)
  else if ($1 == "about")
    add_meaning($2, $3)
  else
    here[$1] = $2
  next
}
FILENAME ~ /papers.csv$/ {
  if ($1 == "setting") {
    their[$2] = their[$2] (their[$2] == "" ? "" : "; ") ($5 ~ /^--/ ? code($5) : $5) " (" $4 ")"
    only[$2] = $5
  } else {
    paper[$1, $2, $3] = $5
    source[$1, $2, $3] = $4
  }
  next
}
FILENAME ~ /scores.csv$/ {
  if (!(($2, $3) in seen)) {
    seen[$2, $3] = 1
    condition[$2, ++has[$2]] = $3
  }
  value[$2, $3, $1, $6] = $7
  shown[$2, $3, $1, $6] = with_half($7, $8)
  runs[$2, $1] = $9
  if ($9 > most_runs)
    most_runs = $9
  next
}
FILENAME ~ /pairs.csv$/ {
  if ($5 == "table=first - second")
    add_difference()
  next
}
FILENAME ~ /labels.csv$/ {
  label_figure[++n_label_figures] = $6
  label_value[n_label_figures] = with_half($7, $8)
  next
}
FILENAME ~ /data-figures.md$/ {
  data_figures = data_figures $0 "\n"
  next
}
{
  note[++n_notes] = $0
}
function with_half(figure, half) {
  return half == "" ? figure : figure " ± " half
}
function code(text) {
  return text == "" ? "–" : "`" text "`"
}
function codes(names,  list, i, k, text) {
  k = split(names, list, " ")
  for (i = 1; i <= k; i++)
    text = text (i > 1 ? " " : "") "`" list[i] "`"
  return text
}
function add_network(name, studies,  list, i, k) {
  if (studies_of[name] == "")
    network[++n_networks] = name
  studies_of[name] = studies_of[name] (studies_of[name] == "" ? "" : " ") studies
  k = split(studies, list, " ")
  for (i = 1; i <= k; i++)
    studied[list[i]] = 1
}
# What is trained alike, a network: OPTIONS, and the labels that are trained on so.
function add_training(name, labels, options) {
  if (!((name, options) in trained_on))
    training[++n_trainings] = name SUBSEP options
  trained_on[name, options] = trained_on[name, options] " " labels
}
# Labels one after the other that mean the same are told in one row.
function add_meaning(labels, what) {
  if (n_meanings == 0 || what == "" || meaning[n_meanings] != what)
    meaning[++n_meanings] = what
  meant[n_meanings] = meant[n_meanings] " " labels
}
# A seed's; the mean of all seeds' is behind them.
function add_difference(  row) {
  row = $2 SUBSEP $3
  if (!(row in seeds))
    differing[++n_differing] = row
  seeds[row]++
  sum[row] += $7
  by_seed[row] = by_seed[row] (seeds[row] > 1 ? "; " : "") with_half($7, $8)
}
function spread(n_runs) {
  return n_runs > 1 ? "over " n_runs " runs" : "over the images, of one run"
}

# --- A table whose empty columns are left out; spaces behind a title tell it from another that is alike ---

function titled(text) {
  sub(/ +$/, "", text)
  return text
}
function begin() {
  split("", cells)
  split("", filled)
  split("", heading)
  columns = rows = 0
}
function put(title, text) {
  if (!(title in heading)) {
    heading[title] = ++columns
    title_of[columns] = title
  }
  cells[rows, heading[title]] = text
  if (text != "")
    filled[heading[title]] = 1
}
function end(  i, j, line, under) {
  line = under = "|"
  for (j = 1; j <= columns; j++)
    if (filled[j]) {
      line = line " " titled(title_of[j]) " |"
      under = under "---|"
    }
  print line "\n" under
  for (i = 1; i <= rows; i++) {
    line = "|"
    for (j = 1; j <= columns; j++)
      if (filled[j])
        line = line " " (cells[i, j] == "" ? "·" : cells[i, j]) " |"
    print line
  }
}

# --- How it was made ---

function setting(what, name, ours) {
  rows++
  put("", what)
  put("here", ours)
  if (!here["sample"])
    put("in the papers", their[name])
}
function otherwise(name) {
  return here[name] != only[name] && !here["sample"]
}
function how_it_was_made(  i, j, k, name, list, text) {
  print "\n## How it was made\n"
  begin()
  for (i = 1; i <= n_networks; i++)
    text = text (i > 1 ? "; " : "") "`" network[i] "`: " studies_of[network[i]]
  setting("networks and what was studied", "networks", text)
  setting("seeds, a run each", "seeds", here["seeds"])
  setting("images with soft labels", "soft", here["soft"] (otherwise("soft") ? "; C22's figures are of another number and are left out" : ""))
  setting("training, options below", "train", "`--precision " here["precision"] " -j " here["threads"] "`")
  if (studied["mixing"])
    setting("training of mixtures", "mix", "below")
  if (studied["folds"])
    setting("training in folds", "folds", "below")
  setting("attacked", "attack", code(here["attack"]) (otherwise("attack") ? "; the papers' figures are of another attack and are left out" : ""))
  if (studied["mixing"])
    setting("corrupted", "corrupt", code(here["corrupt"]) (otherwise("corrupt") ? "; the papers' figures are of other corruptions and are left out" : ""))
  end()
  print "\nOptions of `softlabel train`. With `--fill gold` the labels named are those of the " here["soft"] " images, and all other training images have their gold classes; without it"
  print "nothing but the images that have such labels is trained on.\n"
  begin()
  for (i = 1; i <= n_trainings; i++) {
    split(training[i], name, SUBSEP)
    text = trained_on[training[i]]
    if ((name[2], text) in alike)
      cells[alike[name[2], text], 1] = cells[alike[name[2], text], 1] " " code(name[1])
    else {
      alike[name[2], text] = ++rows
      put("network", code(name[1]))
      put("options", code(name[2]))
      put("labels", codes(text))
    }
  }
  end()
  print "\n## The labels' names\n"
  begin()
  for (i = 1; i <= n_meanings; i++) {
    rows++
    put("labels", codes(meant[i]))
    put("", meaning[i])
  }
  end()
}

# --- Figures ---

# A paper's figure, where what it was made with is what is here.
function beside(c, tested, metric,  key) {
  key = tested SUBSEP c SUBSEP metric
  if (here["sample"] || !(key in paper) || (otherwise("soft") && source[key] ~ /^C22/) || (otherwise("attack") && tested ~ /attacked/) ||
      (otherwise("corrupt") && tested ~ /corrupted/))
    return ""
  last_source = source[key]
  return paper[key]
}
function table(n, title, tested,  i, c, any) {
  begin()
  for (i = 1; i <= has[n]; i++) {
    c = condition[n, i]
    if (!((n, c, tested, "cross_entropy") in value))
      continue
    rows++
    last_source = ""
    put("labels", c)
    put("accuracy", shown[n, c, tested, "accuracy"])
    put("cross-entropy", shown[n, c, tested, "cross_entropy"])
    put("published", beside(c, tested, "cross_entropy"))
    put("RMS calibration error", shown[n, c, tested, "calibration_rms"])
    put("without the last bin", shown[n, c, tested "-bins", "calibration_rms"])
    put("published ", beside(c, tested "-bins", "calibration_rms"))
    put("cross-entropy, attacked", shown[n, c, tested "-attacked", "cross_entropy"])
    put("published  ", beside(c, tested "-attacked", "cross_entropy"))
    put("published in", last_source)
  }
  if (rows == 0)
    return
  printf "\n### `%s`: %s\n\n± %s.\n\n", n, title, spread(runs[n, tested])
  end()
}
# Whether hard labels are worst and those of people best, as in C22.
function order(n, tested, title,  list, i, k, text, wrong, now, before) {
  k = split("hard random uniform human", list, " ")
  for (i = 1; i <= k; i++) {
    if (!((n, list[i], tested, "cross_entropy") in value))
      return
    now = value[n, list[i], tested, "cross_entropy"]
    text = text (i > 1 ? ", " : "") list[i] " " now
    if (i > 1 && now + 0 >= before + 0)
      wrong = wrong (wrong == "" ? "" : ", ") list[i] " is not below " list[i - 1]
    before = now
  }
  if (!any_order++) {
    print "\n## Hard, random, uniform and human labels\n\nC22 (table 1) has the cross-entropy fall from hard to random, to uniform, to human labels. Here, by the means alone; how sure each step is stands in"
    print "[Differences](#differences-image-by-image):\n"
  }
  printf "- `%s`, %s: %s: %s\n", n, title, text, wrong == "" ? "in the papers' order" : "not in the papers' order, " wrong
}
function differences(  i, name) {
  print "\n## Differences, image by image\n\nIn cross-entropy on the test images, of networks of the same seed and held-out images. Below 0 the first labels are better."
  print "± is over the images, of one seed; where it is smaller than the difference, that is not chance, for networks of that seed.\n"
  begin()
  for (i = 1; i <= n_differing; i++) {
    split(differing[i], name, SUBSEP)
    rows++
    put("network", name[1])
    put("labels", name[2])
    put("seed by seed", by_seed[differing[i]])
    put("mean", sprintf("%.4f", sum[differing[i]] / seeds[differing[i]]))
  }
  end()
}
function labels_themselves(  i, name) {
  name["accuracy"] = "images whose likeliest class is that of the votes"
  name["l1"] = "L1 distance"
  name["w_values"] = "Wasserstein distance of the values, whichever class has them"
  name["entropy_correlation"] = "correlation of entropies"
  name["entropy"] = "mean entropy of these labels"
  name["support"] = "mean number of classes that are not 0"
  print "\n## The labels themselves\n\nThose of `t2-clamp` beside the shares of CIFAR-10H's votes, without a network. ± is over the images.\n"
  begin()
  for (i = 1; i <= n_label_figures; i++) {
    rows++
    put("", label_figure[i] in name ? name[label_figure[i]] : label_figure[i])
    put("here", label_value[i])
  }
  end()
}
function notes(  i, study, wanted) {
  for (i = 1; i <= n_notes; i++) {
    if (note[i] ~ /^- /)
      wanted = 1
    if (match(note[i], /^- \[[a-z]+\] /)) {
      study = substr(note[i], 4, RLENGTH - 5)
      note[i] = "- " substr(note[i], RLENGTH + 1)
      wanted = studied[study]
    } else if (note[i] !~ /^  /)
      wanted = 1
    if (wanted)
      print note[i]
  }
}
END {
  print "# Soft labels of CIFAR-10S\n\nNetworks learn pictures from labels that were made in several ways. How near is what they then say of other pictures to what people said?"
  print "Of cross-entropy and calibration error less is better. A figure behind ± is half of a 95 % interval: over runs by Student's t, over images by drawing them again."
  if (most_runs == 2)
    print "Of two runs t is 12.7: their intervals are wide, and some go beyond what is possible."
  if (here["sample"])
    print "\n**The data are made up.** `votes.csv` of examples/data is put for CIFAR-10H, `survey.csv` for CIFAR-10S, and networks this small learn next to nothing of them: what can be\nseen here is what a report looks like. No paper's figures stand beside."
  how_it_was_made()
  for (i = 1; i <= n_networks; i++) {
    order(network[i], "10h", "the test images, against CIFAR-10H")
    order(network[i], "10s", "the held-out images of CIFAR-10S, against `t2-clamp`")
  }
  print "\n## Figures\n\nThe calibration error has bins of " here["bin"] " images, of held-out images of 10; published ones leave out the last bin, the surest images. Right is the likeliest class of the labels that it is scored against."
  for (i = 1; i <= n_networks; i++) {
    table(network[i], "the test images, against CIFAR-10H", "10h")
    table(network[i], "the held-out images of CIFAR-10S, drawn anew for each seed, against `t2-clamp`", "10s")
    table(network[i], "corrupted test images, against CIFAR-10H", "10h-corrupted")
    table(network[i], "all images in folds, against CIFAR-10H", "folds")
  }
  if (n_differing > 0)
    differences()
  labels_themselves()
  printf "%s", data_figures
  if (!here["sample"])
    notes()
}
