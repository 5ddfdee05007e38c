# SPDX-License-Identifier: GPL-3.0-or-later
#
# The report, in Markdown: how it was made, and the papers' figures beside ours.
#
#     awk -f student.awk -f report.awk FS='\t' how FS=, papers.csv scores.csv pairs.csv labels.csv [runs.csv choices.csv data-figures.md] notes.md
#
# `how` has a fact a line: sample, seeds, soft, … VALUE; network NAME STUDIES; train NETWORK LABELS OPTIONS; about LABELS WHAT. In papers.csv a
# `setting` is what the papers have where `how` has ours, and `runs` how many there are behind a table's figures. A note that begins with [STUDY] is of that
# study alone, one that begins with [[TABLE]] stands below that table of a paper.
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
  } else if ($1 == "runs")
    runs_of[$4] = $5
  else
    add_paper($1, $2, $3, $4, $5)
  next
}
FILENAME ~ /scores.csv$/ {
  if ($5 ~ /seed=/)
    next
  if ($11 != "")
    add_price($2, $3, $10, $11, with_half($7, $8))
  else
    add_score($1, $2, $3, $6, $7, $8, $9)
  next
}
FILENAME ~ /pairs.csv$/ {
  if ($5 == "table=first - second")
    add_difference()
  next
}
FILENAME ~ /choices.csv$/ {
  choice[++n_choices] = $0
  if (!(($1, $2) in best) || $5 + 0 < best[$1, $2] + 0)
    best[$1, $2] = $5
  next
}
FILENAME ~ /runs.csv$/ {
  n_runs[$1]++
  minutes[$1] += $5
  epochs[$1] = epochs[$1] == "" || epochs[$1] == $4 ? $4 : "several"
  if (!index(" " commits[$1] " ", " " $6 " "))
    commits[$1] = commits[$1] (commits[$1] == "" ? "" : " ") $6
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
  take_note($0)
}
function add_paper(tested, labels, metric, from, figure,  name) {
  gsub(/;/, ",", from)
  name = family(tested)
  if (!((from, name) in known_table)) {
    known_table[from, name] = 1
    paper_table[++n_paper_tables] = from SUBSEP name
  }
  if (!((from, name, labels) in known_row)) {
    known_row[from, name, labels] = 1
    paper_row[from, name, ++n_paper_rows[from, name]] = labels
  }
  if (!((from, name, tested, metric) in known_column)) {
    known_column[from, name, tested, metric] = 1
    paper_column[from, name, ++n_paper_columns[from, name]] = tested SUBSEP metric
  }
  paper[from, tested, labels, metric] = figure
}
function add_score(tested, name, labels, metric, figure, half, n) {
  if (!((name, labels) in seen)) {
    seen[name, labels] = 1
    condition[name, ++has[name]] = labels
  }
  value[name, labels, tested, metric] = figure
  half_of[name, labels, tested, metric] = half
  shown[name, labels, tested, metric] = with_half(figure, half)
  runs[name, labels, family(tested)] = n
  if (n > most_runs)
    most_runs = n
}
function add_price(name, labels, answers, seconds, figure) {
  price[++n_prices] = name SUBSEP labels SUBSEP answers SUBSEP seconds SUBSEP figure
}
# 10h of 10h-attacked: what is tested on.
function family(tested) {
  sub(/-.*/, "", tested)
  return tested
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
  if (!(name in studies_of))
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
# A seed's of one network; the means over seeds, and over networks, are behind them.
function add_difference(  row) {
  row = $2 SUBSEP $3
  if (!(row in seeds))
    differing[++n_differing] = row
  by_seed[row] = by_seed[row] (seeds[row] > 0 ? "; " : "") with_half($7, $8)
  add_to(row, $7)
  if (index(" " here["pooled"] " ", " " $2 " "))
    add_to("all" SUBSEP $3, $7)
}
function add_to(row, x) {
  seeds[row]++
  sum[row] += x
  squares[row] += x * x
}
# The mean over runs with its 95 % interval, by Student's t.
function over_runs(row,  n, mean, s) {
  n = seeds[row]
  mean = sum[row] / n
  if (n < 2)
    return ""
  s = squares[row] / n - mean * mean
  s = s > 0 ? sqrt(s * n / (n - 1)) : 0
  return sprintf("%.4f ± %.4f", mean, t_quantile(n - 1) * s / sqrt(n))
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
  print "\nMinutes are the processor's, of the last time that a run was begun where it was stopped between.\n"
  begin()
  for (i = 1; i <= n_networks; i++)
    if (network[i] in n_runs) {
      rows++
      put("network", code(network[i]))
      put("runs", n_runs[network[i]])
      put("epochs", epochs[network[i]])
      put("minutes a run", sprintf("%.2f", minutes[network[i]] / n_runs[network[i]]))
      put("commit", commits[network[i]])
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

# Columns, family by family: what was tested, the metric, its title.
function name_columns(  list, i, k, part) {
  k = split("10h accuracy:accuracy|10h-gold accuracy:accuracy by gold classes|10h cross_entropy:cross-entropy|10h calibration_rms:RMS calibration error|" \
            "10h-bins calibration_rms:RMS calibration error without the last bin|10h-attacked log_loss:loss, attacked|10h-corrupted cross_entropy:cross-entropy, corrupted|" \
            "10h entropy_correlation:r of entropies|10s accuracy:accuracy|10s cross_entropy:cross-entropy|10s-six cross_entropy:against six answers, percents over their sum|" \
            "10s calibration_rms:RMS calibration error|10s-bins calibration_rms:RMS calibration error without the last bin|10s-attacked cross_entropy:loss, attacked|" \
            "folds-gold accuracy:accuracy by gold classes|folds cross_entropy:cross-entropy|folds-gold log_loss:log loss of gold classes|folds calibration_rms:RMS calibration error|" \
            "folds second_best_accuracy:second-best accuracy|folds-wrong second_best_accuracy:wrong images whose second class is people's first|" \
            "folds-attacked accuracy:accuracy, attacked|folds-attacked log_loss:loss, attacked|labelme-gold accuracy:accuracy|labelme cross_entropy:cross-entropy|" \
            "labelme entropy_correlation:r of entropies", list, "|")
  for (i = 1; i <= k; i++) {
    split(list[i], part, ":")
    column_title[part[1]] = part[2]
    split(part[1], part, " ")
    column_tested[++n_columns] = part[1]
    column_metric[n_columns] = part[2]
  }
}
function what_is_tested(name) {
  return name == "10h" ? "the 3,000 test images, against CIFAR-10H" : name == "10s" ? "the held-out images of CIFAR-10S, drawn anew for each seed, against `t2-clamp`" \
    : name == "folds" ? "all images in folds, against CIFAR-10H" : "LabelMe's 1,000 images in folds, against the softmax of their answers"
}
# Whether a paper's figures were made with what is here.
function comparable(from, tested) {
  return !here["sample"] && !(otherwise("soft") && from ~ /^C22/) && !(otherwise("attack") && tested ~ /attacked/) && !(otherwise("corrupt") && tested ~ /corrupted/)
}
# A row of NAME's figures of LABELS in the columns of a paper's table, if it has any.
function put_ours(from, family_name, labels, name, as,  i, part, n) {
  n = runs[name, labels, family_name]
  if (n == "")
    return
  rows++
  put("labels", labels)
  put("", as)
  put("runs", n)
  for (i = 1; i <= n_paper_columns[from, family_name]; i++) {
    split(paper_column[from, family_name, i], part, SUBSEP)
    put(column_title[part[1] " " part[2]], shown[name, labels, part[1], part[2]])
    if (name == beside_which)
      tell_apart(from, labels, part[1], part[2], name, n)
  }
}
# What differs from the published figure by more than both intervals explain.
function tell_apart(from, labels, tested, metric, name, n,  part, theirs, key) {
  theirs = paper[from, tested, labels, metric]
  key = name SUBSEP labels SUBSEP tested SUBSEP metric
  if (theirs == "" || !comparable(from, tested) || runs_of[from] < 2 || n < 2 || half_of[key] == "" || split(theirs, part, / *± */) < 2)
    return
  welch(value[key], half_of[key], n, part[1], part[2], runs_of[from])
  tested_cells++
  if (welch_p < 0.05)
    apart = apart (apart == "" ? "" : "; ") sprintf("`%s`, %s, by %+.3f (p %s)", labels, column_title[tested " " metric], value[key] - part[1], welch_p < 0.001 ? "< .001" : sprintf("= %.3f", welch_p))
}
function is_there(family_name, labels,  i) {
  for (i = 1; i <= n_networks; i++)
    if ((network[i], labels, family_name) in runs)
      return 1
  return 0
}
# What is compared with a paper's means: those over networks, else those of the first network with several runs.
function beside(family_name, labels,  i) {
  if (runs["all", labels, family_name] > 1)
    return "all"
  for (i = 1; i <= n_networks; i++)
    if (runs[network[i], labels, family_name] > 1)
      return network[i]
}
function paper_tables(  t, i, k, n, part, from, name, labels, any) {
  for (t = 1; t <= n_paper_tables; t++) {
    split(paper_table[t], part, SUBSEP)
    from = part[1]
    name = part[2]
    begin()
    any = tested_cells = 0
    apart = ""
    beside_which = beside(name, paper_row[from, name, 1])
    for (i = 1; i <= n_paper_rows[from, name]; i++) {
      labels = paper_row[from, name, i]
      if (!is_there(name, labels))
        continue
      any = 1
      rows++
      put("labels", labels)
      put("", "published")
      put("runs", runs_of[from])
      for (k = 1; k <= n_paper_columns[from, name]; k++) {
        split(paper_column[from, name, k], part, SUBSEP)
        if (comparable(from, part[1]))
          put(column_title[part[1] " " part[2]], paper[from, part[1], labels, part[2]])
      }
      put_ours(from, name, labels, "all", "here, all networks")
      for (n = 1; n <= n_networks; n++)
        put_ours(from, name, labels, network[n], "`" network[n] "`")
    }
    if (!any || here["sample"])
      continue
    if (!any_table++)
      print "\n## The papers' tables\n\nA figure behind ± is half of a 95 % interval over runs, of one run over images, where there is one."
    printf "\n### %s: %s\n\n", from, what_is_tested(name)
    end()
    if (apart != "")
      print "\nFurther from the published figures than both intervals explain (" (beside_which == "all" ? "all networks" : "`" beside_which "`") ", Welch): " apart "."
    else if (tested_cells > 0)
      print "\nNothing of " (beside_which == "all" ? "all networks" : "`" beside_which "`") " differs from the published figures by more than both intervals explain (Welch, 5 %)."
    if (from in why)
      print "\n" why[from]
  }
}
# All figures of one network.
function table(n, family_name,  i, j, c, key) {
  begin()
  for (i = 1; i <= has[n]; i++) {
    c = condition[n, i]
    if (!((n, c, family_name) in runs))
      continue
    rows++
    put("labels", c)
    put("runs", runs[n, c, family_name])
    for (j = 1; j <= n_columns; j++)
      if (family(column_tested[j]) == family_name) {
        key = n SUBSEP c SUBSEP column_tested[j] SUBSEP column_metric[j]
        put(column_title[column_tested[j] " " column_metric[j]], key in shown ? shown[key] : "")
      }
  }
  if (rows == 0)
    return
  printf "\n### %s: %s\n\n", n == "all" ? "All networks together" : "`" n "`", what_is_tested(family_name)
  end()
}
# Whether one is above another, of the papers' figures by Welch's test, of ours by paired differences over runs, else over images.
function step(one, other, tested,  part, theirs, text) {
  split(paper["C22 table 1", tested, one, "cross_entropy"], part, / *± */)
  split(paper["C22 table 1", tested, other, "cross_entropy"], theirs, / *± */)
  welch(part[1], part[2], runs_of["C22 table 1"], theirs[1], theirs[2], runs_of["C22 table 1"])
  text = sprintf("%.3f, t = %.1f, p %s", part[1] - theirs[1], welch_t, welch_p < 0.001 ? "< .001" : sprintf("= %.2f", welch_p))
  return text
}
function order(  i, k, n, list, pair, row, text) {
  k = split("hard.random hard.uniform random.uniform random.human uniform.human", list, " ")
  begin()
  for (i = 1; i <= k; i++) {
    split(list[i], pair, ".")
    rows++
    put("cross-entropy", pair[1] " less " pair[2])
    if (!here["sample"]) {
      put("published, CIFAR-10H", step(pair[1], pair[2], "10h"))
      put("published, CIFAR-10S", step(pair[1], pair[2], "10s"))
    }
    row = pair[1] " less " pair[2]
    if (("all" SUBSEP row) in seeds && seeds["all", row] > 1)
      put("here, all networks", over_runs("all" SUBSEP row))
    for (n = 1; n <= n_networks; n++)
      if ((network[n] SUBSEP row) in seeds) {
        text = over_runs(network[n] SUBSEP row)
        put("`" network[n] "`", text == "" ? by_seed[network[n], row] " (images)" : text)
      }
  }
  print "\n## Hard, random, uniform and human labels\n"
  if (!here["sample"])
    print "What C22's table 1 establishes is **hard > {random, uniform} > human**: of its own means and 95 % intervals, over " runs_of["C22 table 1"] " runs, random less uniform is within chance (Welch's t)."
  print "Ours are paired: of the same seed, held-out images and test images; ± is half of a 95 % interval over runs, of one run over images. Above 0 the first is worse.\n"
  end()
}
function differences(  i, name, row, k, list) {
  print "\n## Differences, image by image\n\nIn cross-entropy on the images that are tested, of networks of the same seed and held-out images. Below 0 the first labels are better."
  print "A seed's ± is over the images; where it is smaller than the difference, that is not chance, for networks of that seed. The mean's is over seeds.\n"
  begin()
  for (i = 1; i <= n_differing; i++) {
    row = differing[i]
    split(row, name, SUBSEP)
    rows++
    put("network", "`" name[1] "`")
    put("labels", name[2])
    put("seed by seed", by_seed[row])
    put("mean over seeds", over_runs(row))
    if (!(name[2] in told) && seeds["all", name[2]] > seeds[row])
      put("and networks", over_runs("all" SUBSEP name[2]))
    told[name[2]] = 1
  }
  end()
}
function prices(  i, part) {
  print "\n## What answers cost\n\nC22's figure 6 and the thesis's curves of cost: cross-entropy on the 3,000 test images by the number of annotators an image, and by what they take: 32 seconds an"
  print "answer of CIFAR-10S, 1.8 seconds a vote of CIFAR-10H (C22).\n"
  begin()
  for (i = 1; i <= n_prices; i++) {
    split(price[i], part, SUBSEP)
    rows++
    put("network", "`" part[1] "`")
    put("labels", part[2])
    put("annotators an image", part[3])
    put("seconds an image", part[4])
    put("cross-entropy", part[5])
    put("runs", runs[part[1], part[2], "10h"])
  }
  end()
}
function choices(  i, part, of) {
  of["rate"] = "learning rate"
  of["gamma"] = "γ: what answers that sum to 100 leave to classes that were not ruled out"
  of["alpha"] = "α of mixup"
  of["kappa"] = "κ: the least weight of Ent-WC"
  print "\n## Chosen by validation\n\nAs C22 (5.1) and the thesis choose; ● has the least cross-entropy with gold classes of images that are held back. They chose a rate of .1 (ResNet-50 .4), γ = .1, α = .2 and κ = .7.\n"
  begin()
  for (i = 1; i <= n_choices; i++) {
    split(choice[i], part, ",")
    rows++
    put("network", "`" part[1] "`")
    put("", of[part[2]])
    put("value", part[3] (part[5] == best[part[1], part[2]] ? " ●" : ""))
    put("accuracy", sprintf("%.4f", part[4]))
    put("cross-entropy", sprintf("%.4f", part[5]))
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
# [[TABLE]] text: what stands below a table of a paper.
function take_note(line,  at, name, list, i, k) {
  if (line !~ /^\[\[/) {
    note[++n_notes] = line
    return
  }
  at = index(line, "]] ")
  k = split(substr(line, 3, at - 3), list, "; ")
  for (i = 1; i <= k; i++)
    why[list[i]] = why[list[i]] (why[list[i]] == "" ? "" : "\n") substr(line, at + 3)
}
function notes(  i, study, wanted) {
  for (i = 1; i <= n_notes; i++) {
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
  name_columns()
  if (studied["controls"])
    order()
  paper_tables()
  if (n_differing > 0)
    differences()
  if (n_prices > 0)
    prices()
  if (n_choices > 0)
    choices()
  print "\n## All figures\n\nThe calibration error has bins of " here["bin"] " images, of held-out images of 10; published ones leave out the last bin, the surest images. Right is the likeliest class of the labels that"
  print "it is scored against, where nothing else is said."
  k = split("10h 10s folds labelme", families, " ")
  network[0] = "all"
  for (i = 0; i <= n_networks; i++)
    for (j = 1; j <= k; j++)
      table(network[i], families[j])
  if (n_label_figures > 0)
    labels_themselves()
  printf "%s", data_figures
  if (!here["sample"])
    notes()
}
