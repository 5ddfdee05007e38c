# SPDX-License-Identifier: GPL-3.0-or-later
#
# What sections of figures share: each row by a pipeline, published beside here. `softlabel` is the program. A row without all its figures ends all.

# row SOURCE WHAT PUBLISHED [WHY]: here is what comes by standard input, in one line; WHY is why both differ.
row() {
  local here
  here=$(paste -sd ' ')
  case " $here " in
    '  ' | *nan* | *inf*) echo "no figure for '$2'" >&2 && return 1 ;;
  esac
  here=${here// / · }
  echo "| $1 | $2 | $3 | ${here//_/ } | ${4-} |"
}
# figures DIGITS METRIC…: their values in a table of scores on standard input, in this order, of each group.
figures() {
  local digits=$1
  shift
  "$softlabel" cat --format csv - | awk -F, -v digits="$digits" -v wanted="$*" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { value[$at["metric"], ++n[$at["metric"]]] = $at["value"] }
    END {
      k = split(wanted, metric, " ")
      for (i = 1; i <= k; i++)
        for (j = 1; j <= n[metric[i]]; j++)
          printf "%." digits "f\n", value[metric[i], j]
    }'
}
score() { "$softlabel" score -q --interval none "$@"; }
