# SPDX-License-Identifier: GPL-3.0-or-later
#
# The items of CIFAR-10's test set in the order of Peterson et al.'s folds: 0 to 9999 shuffled as NumPy 1 does with seed 0, the last swapped with one
# before it or itself, then the last but one, and so on. Random numbers are MT19937's (Matsumoto & Nishimura 1998), those above the place left out
# under a mask.
#
#     awk -f p19-order.awk
function word_op(of, a, b,  i, scale, result) {
  scale = 1
  for (i = 0; i < 8; i++) {
    result += of[(a % 16) * 16 + b % 16] * scale
    a = int(a / 16)
    b = int(b / 16)
    scale *= 16
  }
  return result
}
function xor_words(a, b) {
  return word_op(xors, a, b)
}
function and_words(a, b) {
  return word_op(ands, a, b)
}
# a b modulo 2^32, whose product has more digits than a number.
function product(a, b) {
  return ((int(a / 65536) * b) % 65536 * 65536 + (a % 65536) * b) % 4294967296
}
function twist(  k, y) {
  for (k = 0; k < 624; k++) {
    y = (state[k] >= 2147483648 ? 2147483648 : 0) + state[(k + 1) % 624] % 2147483648
    state[k] = xor_words(state[(k + 397) % 624], int(y / 2))
    if (y % 2)
      state[k] = xor_words(state[k], 2567483615)
  }
  next_word = 0
}
function draw(  y) {
  if (next_word == 624)
    twist()
  y = state[next_word++]
  y = xor_words(y, int(y / 2048))
  y = xor_words(y, and_words(y * 128 % 4294967296, 2636928640))
  y = xor_words(y, and_words(y * 32768 % 4294967296, 4022730752))
  return xor_words(y, int(y / 262144))
}
BEGIN {
  for (a = 0; a < 16; a++)
    for (b = 0; b < 16; b++)
      for (bit = 1; bit < 16; bit *= 2) {
        one = int(a / bit) % 2
        other = int(b / bit) % 2
        xors[a * 16 + b] += (one != other) * bit
        ands[a * 16 + b] += one * other * bit
      }
  state[0] = 0
  for (i = 1; i < 624; i++)
    state[i] = (product(1812433253, xor_words(state[i - 1], int(state[i - 1] / 1073741824))) + i) % 4294967296
  next_word = 624
  for (i = 0; i < 10000; i++)
    item[i] = i
  for (i = 9999; i > 0; i--) {
    for (mask = 1; mask <= i; mask *= 2)
      ;
    do
      j = draw() % mask
    while (j > i)
    kept = item[i]
    item[i] = item[j]
    item[j] = kept
  }
  for (i = 0; i < 10000; i++)
    print item[i]
}
