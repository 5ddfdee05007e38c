# SPDX-License-Identifier: GPL-3.0-or-later
#
# Of scores as JSON lines, one figure a line: tested,network,labels,seed,group,metric,value,half, half being half of the interval.
#
#     softlabel cat scores.parquet --format jsonl | awk -f figures.awk
function field(name,  at, rest) {
  at = index($0, "\"" name "\":")
  if (at == 0)
    return ""
  rest = substr($0, at + length(name) + 3)
  if (substr(rest, 1, 1) == "\"")
    return substr(rest, 2, index(substr(rest, 2), "\"") - 1)
  match(rest, /[,}]/)
  rest = substr(rest, 1, RSTART - 1)
  return rest == "null" ? "" : rest
}
{
  value = field("value")
  lower = field("lower")
  upper = field("upper")
  half = lower == "" ? "" : sprintf("%.4f", (upper - lower) / 2)
  group = field("group")
  gsub(/,/, ";", group)
  printf "%s,%s,%s,%s,%s,%s,%s,%s\n", field("tag_tested"), field("tag_network"), field("tag_labels"), field("tag_seed"), group, field("metric"),
    value == "" ? "" : sprintf("%.4f", value), half
}
