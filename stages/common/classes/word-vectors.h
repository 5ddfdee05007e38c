/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Word vectors in text form (GloVe, word2vec) and the likeness of classes by their names. */
#pragma once

#include <gio/gio.h>

/* The cosines of the word vectors of CLASSES (NULL-terminated, n of them): cosine[n][n], to be
 * freed; NULL and ERROR on failure.
 *
 * TEXT has a line for each word: the word, then its numbers, all separated by spaces; a first line
 * of just two whole numbers is a header and passed over. A class is looked up under its whole name,
 * with spaces, "_" and "-" all alike; failing that, it gets the mean of the vectors of its parts.
 * Of the lines that differ from a name in case only, the best is the one spelt just so, then the
 * one in lower case, then the first. NAME names the text in messages. */
double *sl_vectors_read (GInputStream *text, const char *name, const char *const *classes,
                         GError **error);
