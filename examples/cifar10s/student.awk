# SPDX-License-Identifier: GPL-3.0-or-later
#
# Student's t, for report.awk.
#
# The chance of a t beyond ±T by DF degrees of freedom: with u = atan(t / √df) its density is cos(u) to the power df − 1, up to a constant, here summed by
# Simpson's rule; right to six digits from df 1 on.
function t_tail(t, df,  u, n, inside, beyond) {
  u = atan2(t < 0 ? -t : t, sqrt(df))
  n = 2000
  inside = simpson(u, n, df)
  beyond = simpson(atan2(1, 0), n, df)
  return inside > beyond ? 0 : 1 - inside / beyond
}
function simpson(to, n, df,  h, i, sum, at) {
  h = to / n
  for (i = 0; i <= n; i++) {
    at = cos(i * h)
    sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * (df == 1 ? 1 : at <= 0 ? 0 : exp((df - 1) * log(at)))
  }
  return sum * h / 3
}
# The t beyond which, on both sides, lie 5 in 100.
function t_quantile(df,  low, high, middle, i) {
  if (df in known_quantile)
    return known_quantile[df]
  high = 13
  for (i = 0; i < 40; i++) {
    middle = (low + high) / 2
    if (t_tail(middle, df) > 0.05)
      low = middle
    else
      high = middle
  }
  return known_quantile[df] = middle
}
# Welch's test of two means, of N1 and N2 runs, whose 95 % intervals have the halves H1 and H2: the global welch_t, welch_p.
function welch(mean1, half1, n1, mean2, half2, n2,  s1, s2, df) {
  s1 = (half1 / t_quantile(n1 - 1)) ^ 2
  s2 = (half2 / t_quantile(n2 - 1)) ^ 2
  df = (s1 + s2) ^ 2 / (s1 ^ 2 / (n1 - 1) + s2 ^ 2 / (n2 - 1))
  welch_t = (mean1 - mean2) / sqrt(s1 + s2)
  welch_p = t_tail(welch_t, df)
}
