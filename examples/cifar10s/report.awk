# SPDX-License-Identifier: GPL-3.0-or-later
#
# The report, in Markdown: how it was made, and the papers' figures beside ours.
#
#     awk -f student.awk -f report.awk FS='\t' how FS=, papers.csv scores.csv pairs.csv labels.csv [runs.csv choices.csv data-figures.md] notes.md
#
# `how` has a fact a line: sample, soft, … VALUE; network NAME STUDIES; train NETWORK LABELS OPTIONS; about LABELS WHAT; cost LABELS ANNOTATORS SECONDS. In papers.csv a
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
  else if ($1 == "cost")
    cost[++n_costs] = $2 SUBSEP $3 SUBSEP $4
  else
    here[$1] = $2
  next
}
FILENAME ~ /papers.csv$/ {
  if (FNR == 1)
    next
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
  add_score($1, $2, $3, $4, $6, $7, $8)
  next
}
FILENAME ~ /pairs.csv$/ {
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
  if (!index(" " seeds_of[$1] " ", " " $3 " "))
    seeds_of[$1] = seeds_of[$1] (seeds_of[$1] == "" ? "" : " ") $3
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
function add_paper(tested, labels, metric, from, published,  name) {
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
  paper[from, tested, labels, metric] = published
}
# A figure of one run.
function add_score(tested, name, labels, seed, metric, x, half,  of, key) {
  of = family(tested)
  if (!((name, labels, of, seed) in ran)) {
    ran[name, labels, of, seed] = 1
    seeds_with[name, labels, of] = seeds_with[name, labels, of] " " seed
    runs[name, labels, of]++
  }
  key = name SUBSEP labels SUBSEP tested SUBSEP metric SUBSEP seed
  value[key] = x
  half_of[key] = half
}
# The mean over NAME's runs, of `all` over those that all rows of a table have (in_common), with half of its 95 % interval, and how many runs, where not all.
function figure(name, labels, tested, metric,  networks, k, i) {
  mean_n = mean_sum = mean_squares = 0
  mean_half = ""
  k = split(name == "all" ? here["pooled"] : name, networks, " ")
  for (i = 1; i <= k; i++)
    add_runs(networks[i], labels, tested, metric, name == "all")
  if (mean_n == 0)
    return ""
  mean = mean_sum / mean_n
  if (mean_n > 1)
    mean_half = t_half(mean_n, mean_sum, mean_squares)
  return with_half(sprintf("%.4f", mean), mean_half)
}
function add_runs(name, labels, tested, metric, common,  list, k, i, key) {
  k = split(seeds_with[name, labels, family(tested)], list, " ")
  for (i = 1; i <= k; i++) {
    key = name SUBSEP labels SUBSEP tested SUBSEP metric SUBSEP list[i]
    if (!(key in value) || (common && !((name, list[i]) in in_common)))
      continue
    mean_n++
    mean_sum += value[key]
    mean_squares += value[key] * value[key]
    mean_half = half_of[key]
  }
}
# Half of the 95 % interval of a mean over N runs, by Student's t.
function t_half(n, sum, squares,  s) {
  s = (squares - sum * sum / n) / (n - 1)
  return sprintf("%.4f", s > 0 ? t_quantile(n - 1) * sqrt(s / n) : 0)
}
function how_many(name, labels, family_name) {
  return (name, labels, family_name) in runs ? runs[name, labels, family_name] : 0
}
# The same in a cell of a row of N runs.
function cell(name, labels, tested, metric, n,  text) {
  text = figure(name, labels, tested, metric)
  return text == "" || mean_n == n ? text : text " (" mean_n (mean_n == 1 ? " run)" : " runs)")
}
# 10h of 10h-attacked: what is tested on.
function family(tested) {
  sub(/-.*/, "", tested)
  return tested
}
function with_half(x, half) {
  return half == "" ? x : x " ± " half
}
function code(text) {
  return text == "" ? "–" : "`" text "`"
}
# The papers' networks stand first.
function order_networks(  list, k, i, n, first) {
  k = split(here["pooled"], list, " ")
  for (i = 1; i <= k; i++)
    if (list[i] in studies_of) {
      first[list[i]]
      ordered[++n] = list[i]
    }
  for (i = 1; i <= n_networks; i++)
    if (!(network[i] in first))
      ordered[++n] = network[i]
  for (i = 1; i <= n; i++)
    network[i] = ordered[i]
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
  last_half[row] = $8
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
function over_runs(row) {
  return seeds[row] < 2 ? "" : with_half(sprintf("%.4f", sum[row] / seeds[row]), t_half(seeds[row], sum[row], squares[row]))
}
# Which of two is better by more than chance explains: over runs, of one run over images.
function better(row,  mean, half) {
  mean = sum[row] / seeds[row]
  half = seeds[row] < 2 ? last_half[row] : t_half(seeds[row], sum[row], squares[row])
  return half == "" || (mean < 0 ? -mean : mean) <= half + 0 ? "" : mean < 0 ? "first" : "second"
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
  text = ""
  for (i = 1; i <= n_networks; i++)
    if (network[i] in seeds_of)
      text = text (text == "" ? "" : "; ") "`" network[i] "`: " seeds_of[network[i]]
  setting("seeds, a run each", "seeds", text)
  setting("images with soft labels", "soft", here["soft"] (otherwise("soft") ? "; C22's figures are of another number and are left out" : ""))
  setting("training", "train", "below")
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
  print "\nMinutes are the processor's; where a run was killed and went on from its checkpoint, those since.\n"
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
            "10h-bins calibration_rms:RMS calibration error without the last bin|10h-people accuracy:accuracy of what annotators say|10h-people cross_entropy:its cross-entropy|10h-attacked log_loss:loss, attacked|10h-corrupted cross_entropy:cross-entropy, corrupted|" \
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
# A row of NAME's figures of LABELS in the columns of a paper's table, of N runs.
function put_ours(from, family_name, labels, name, as, n,  i, part) {
  if (n == 0)
    return
  rows++
  put("labels", labels)
  put("", as)
  put("runs", n)
  for (i = 1; i <= n_paper_columns[from, family_name]; i++) {
    split(paper_column[from, family_name, i], part, SUBSEP)
    put(column_title[part[1] " " part[2]], cell(name, labels, part[1], part[2], n))
    if (name == beside_which)
      tell_apart(from, labels, part[1], part[2])
  }
}
# What differs from the published figure by more than both intervals explain: of the figure that was made last.
function tell_apart(from, labels, tested, metric,  part, theirs) {
  theirs = paper[from, tested, labels, metric]
  if (theirs == "" || !comparable(from, tested) || runs_of[from] < 2 || mean_n < 2 || split(theirs, part, / *± */) < 2)
    return
  welch(mean, mean_half, mean_n, part[1], part[2], runs_of[from])
  tested_cells++
  if (welch_p < 0.05)
    apart = apart (apart == "" ? "" : "; ") sprintf("`%s`, %s, by %+.3f (p %s)", labels, column_title[tested " " metric], mean - part[1], welch_p < 0.001 ? "< .001" : sprintf("= %.3f", welch_p))
}
function is_there(family_name, labels,  i) {
  for (i = 1; i <= n_networks; i++)
    if ((network[i], labels, family_name) in runs)
      return 1
  return 0
}
# What is compared with a paper's means: those over networks, else those of the first network with several runs.
function beside(family_name, labels,  i) {
  if (n_common > 0)
    return "all"
  for (i = 1; i <= n_networks; i++)
    if (how_many(network[i], labels, family_name) > 1)
      return network[i]
}
# in_common: networks and seeds that have all labels of a paper's table that any of the pooled networks has (labels_in_common); n_common: how many, if of several networks.
function find_common(from, family_name,  nets, k, i, r, labels, seed, n, s, key, part, met, several) {
  split("", in_common)
  split("", labels_in_common)
  split("", met)
  n_common = several = 0
  k = split(here["pooled"], nets, " ")
  for (r = 1; r <= n_paper_rows[from, family_name]; r++) {
    labels = paper_row[from, family_name, r]
    for (i = 1; i <= k; i++) {
      n = split(seeds_with[nets[i], labels, family_name], seed, " ")
      for (s = 1; s <= n; s++)
        in_common[nets[i], seed[s]]++
      if (n > 0)
        labels_in_common[labels]
    }
  }
  n = 0
  for (labels in labels_in_common)
    n++
  for (key in in_common)
    if (in_common[key] == n) {
      split(key, part, SUBSEP)
      several += !(part[1] in met)
      met[part[1]]
      n_common++
    } else
      delete in_common[key]
  if (several < 2)
    n_common = 0
}
function paper_tables(  t, i, k, n, part, from, name, labels, any) {
  for (t = 1; t <= n_paper_tables; t++) {
    split(paper_table[t], part, SUBSEP)
    from = part[1]
    name = part[2]
    begin()
    any = tested_cells = 0
    apart = ""
    find_common(from, name)
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
      put_ours(from, name, labels, "all", "here, all networks", labels in labels_in_common ? n_common : 0)
      for (n = 1; n <= n_networks; n++)
        put_ours(from, name, labels, network[n], "`" network[n] "`", how_many(network[n], labels, name))
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
# All figures of one network, labels in the order in which they are explained.
function table(name, family_name,  i, j, k, list) {
  begin()
  for (i = 1; i <= n_meanings; i++) {
    k = split(meant[i], list, " ")
    for (j = 1; j <= k; j++)
      if ((name, list[j], family_name) in runs)
        put_all(name, list[j], family_name, runs[name, list[j], family_name])
  }
  if (rows == 0)
    return
  printf "\n### %s: %s\n\n", "`" name "`", what_is_tested(family_name)
  end()
}
function put_all(name, labels, family_name, n,  j) {
  rows++
  put("labels", labels)
  put("runs", n)
  for (j = 1; j <= n_columns; j++)
    if (family(column_tested[j]) == family_name)
      put(column_title[column_tested[j] " " column_metric[j]], cell(name, labels, column_tested[j], column_metric[j], n))
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
  print "A seed's ± is over the images; where it is smaller than the difference, that is not chance, for networks of that seed. The mean's is over seeds."
  print "Better is what is so by more than that interval, of one seed by that of the images; chance alone names one in twenty.\n"
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
    put("better", better(row))
    told[name[2]] = 1
  }
  end()
}
function prices(  i, n, part) {
  begin()
  for (n = 1; n <= n_networks; n++)
    for (i = 1; i <= n_costs; i++) {
      split(cost[i], part, SUBSEP)
      if (!index(" " studies_of[network[n]] " ", " annotators ") || !((network[n], part[1], "10h") in runs))
        continue
      rows++
      put("network", "`" network[n] "`")
      put("labels", part[1])
      put("annotators an image", part[2])
      put("seconds an image", part[2] * part[3])
      put("cross-entropy", figure(network[n], part[1], "10h", "cross_entropy"))
      put("runs", runs[network[n], part[1], "10h"])
    }
  if (rows == 0)
    return
  print "\n## What answers cost\n\nC22's figure 6 and the thesis's curves of cost: cross-entropy on the 3,000 test images by the number of annotators an image, and by what they take: 32 seconds an"
  print "answer of CIFAR-10S, 1.8 seconds a vote of CIFAR-10H (C22).\n"
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
  order_networks()
  print "# Soft labels of CIFAR-10S\n\nNetworks learn pictures from labels that were made in several ways. How near is what they then say of other pictures to what people said?"
  print "Of cross-entropy and calibration error less is better. A figure behind ± is half of a 95 % interval: over runs by Student's t, over images by drawing them again."
  for (key in runs)
    some_of_two += runs[key] == 2
  if (some_of_two)
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
  prices()
  if (n_choices > 0)
    choices()
  print "\n## All figures\n\nThe calibration error has bins of " here["bin"] " images, of held-out images of 10; published ones leave out the last bin, the surest images. Right is the likeliest class of the labels that"
  print "it is scored against, where nothing else is said."
  k = split("10h 10s folds labelme", families, " ")
  for (i = 1; i <= n_networks; i++)
    for (j = 1; j <= k; j++)
      table(network[i], families[j])
  if (n_label_figures > 0)
    labels_themselves()
  printf "%s", data_figures
  if (!here["sample"])
    notes()
}
