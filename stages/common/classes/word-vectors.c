/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GloVe: Pennington, Socher & Manning, EMNLP 2014. word2vec: Mikolov et al. 2013. Both are
 * distributed as text of a few gigabytes with a few million words, of which a handful is wanted:
 * lines are looked at up to their first space and parsed only where that may begin a wanted
 * word. */
#include "word-vectors.h"

#include <math.h>
#include <string.h>

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"

#define BLOCK_BYTES (1 << 20)
#define LONGEST_LINE (1 << 22)
#define MOST_NUMBERS (1 << 16)

typedef struct
{
  char *spelling; /* as in the class's name, words joined with "_" */
  char *key;      /* that in lower case */
  int rank;       /* of the line found: 0 spelt just so, 1 lower case, 2 other, 3 none yet */
  double *vector;
} Word;

typedef struct
{
  const char *name;
  GPtrArray *words;   /* Word, in order of the classes */
  GHashTable *by_key; /* key -> Word */
  GHashTable *starts; /* what comes before the first "_" of a key */
  gint64 line;
  gint64 dimension; /* 0: not known yet */
} Lookup;

static void
word_free (gpointer data)
{
  Word *word = data;
  g_free (word->spelling);
  g_free (word->key);
  g_free (word->vector);
  g_free (word);
}

static void
lookup_clear (Lookup *lookup)
{
  g_clear_pointer (&lookup->by_key, g_hash_table_unref);
  g_clear_pointer (&lookup->starts, g_hash_table_unref);
  g_clear_pointer (&lookup->words, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lookup, lookup_clear)

/* TEXT with spaces and "-" as "_". */
static char *
joined (const char *text, gsize length)
{
  return g_strdelimit (g_strndup (text, length), " -", '_');
}

static char *
lowered (const char *text, gsize length)
{
  return g_utf8_validate (text, (gssize) length, NULL) ? g_utf8_strdown (text, (gssize) length)
                                                       : g_ascii_strdown (text, (gssize) length);
}

static void
want (Lookup *lookup, const char *spelling)
{
  g_autofree char *key = lowered (spelling, strlen (spelling));
  if (g_hash_table_contains (lookup->by_key, key))
    return;
  Word *word = g_new0 (Word, 1);
  word->spelling = g_strdup (spelling);
  word->rank = 3;
  g_hash_table_add (lookup->starts, g_strndup (key, strcspn (key, "_")));
  word->key = g_steal_pointer (&key);
  g_ptr_array_add (lookup->words, word);
  g_hash_table_insert (lookup->by_key, word->key, word);
}

/* The words wanted for CLASS: itself, and its parts. */
static void
want_class (Lookup *lookup, const char *class)
{
  g_autofree char *whole = joined (class, strlen (class));
  want (lookup, whole);
  g_auto (GStrv) parts = g_strsplit (whole, "_", -1);
  for (char **part = parts; *part != NULL; part++)
    if (**part != '\0')
      want (lookup, *part);
}

static gboolean
line_error (const Lookup *lookup, GError **error, const char *what)
{
  return sl_error_bad_input (error, "%s: line %" G_GINT64_FORMAT ": %s", lookup->name, lookup->line,
                             what);
}

/* How many numbers end the line of FIELDS; at least the first field is part of the word. */
static gint64
count_numbers (char **fields, gint64 n_fields)
{
  gint64 n = 0;
  double value;
  while (n < n_fields - 1 && sl_parse_real (fields[n_fields - 1 - n], -1, &value))
    n++;
  return n;
}

/* Takes the vector of a line that has been cut into FIELDS, if its word is wanted and no better
 * line was met. */
static gboolean
take_fields (Lookup *lookup, char **fields, gint64 n_fields, GError **error)
{
  g_autoptr (GString) spelling = g_string_new (fields[0]);
  for (gint64 i = 1; i < n_fields - lookup->dimension; i++)
    g_string_append_printf (spelling, "_%s", fields[i]);
  g_strdelimit (spelling->str, "-", '_');
  g_autofree char *key = lowered (spelling->str, spelling->len);
  Word *word = g_hash_table_lookup (lookup->by_key, key);
  if (word == NULL)
    return TRUE;
  if (n_fields <= lookup->dimension)
    return line_error (lookup, error, "too few numbers; every line needs as many as the first");
  int rank = strcmp (spelling->str, word->spelling) == 0 ? 0
             : strcmp (spelling->str, key) == 0          ? 1
                                                         : 2;
  if (rank >= word->rank)
    return TRUE;
  word->rank = rank;
  if (word->vector == NULL)
    word->vector = g_new (double, lookup->dimension);
  for (gint64 i = 0; i < lookup->dimension; i++)
    if (!sl_parse_real (fields[n_fields - lookup->dimension + i], -1, &word->vector[i]))
      return line_error (lookup, error, "a vector has something in it that is not a number");
  return TRUE;
}

static gboolean
take_line (Lookup *lookup, const char *text, gsize length, GError **error)
{
  lookup->line++;
  gsize first = 0;
  while (first < length && text[first] != ' ' && text[first] != '\t')
    first++;
  if (lookup->dimension > 0)
    {
      g_autofree char *spelling = joined (text, first);
      g_autofree char *key = lowered (spelling, first);
      key[strcspn (key, "_")] = '\0';
      if (!g_hash_table_contains (lookup->starts, key))
        return TRUE;
    }
  g_autofree char *copy = g_strndup (text, length);
  g_auto (GStrv) fields = g_strsplit_set (g_strstrip (copy), " \t", -1);
  gint64 n_fields = 0;
  for (char **field = fields; *field != NULL; field++) /* runs of spaces leave empty fields */
    if (**field != '\0')
      fields[n_fields++] = *field;
    else
      g_free (*field);
  fields[n_fields] = NULL;
  if (n_fields == 0)
    return TRUE;
  if (lookup->dimension == 0)
    {
      gint64 whole;
      if (lookup->line == 1 && n_fields == 2 && sl_parse_integer (fields[0], -1, &whole)
          && sl_parse_integer (fields[1], -1, &whole))
        return TRUE;
      lookup->dimension = count_numbers (fields, n_fields);
      if (lookup->dimension == 0 || lookup->dimension > MOST_NUMBERS)
        return line_error (lookup, error, "expected a word and its numbers, separated by spaces");
    }
  return take_fields (lookup, fields, n_fields, error);
}

static gboolean
read_lines (Lookup *lookup, GInputStream *text, GError **error)
{
  g_autoptr (GByteArray) rest = g_byte_array_new (); /* a line not yet whole */
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  for (;;)
    {
      gsize got;
      if (!g_input_stream_read_all (text, block, BLOCK_BYTES, &got, NULL, error))
        return FALSE;
      const char *at = (const char *) block;
      const char *end = at + got;
      for (const char *stop; (stop = memchr (at, '\n', (gsize) (end - at))) != NULL; at = stop + 1)
        {
          gboolean done = TRUE;
          if (rest->len == 0)
            done = take_line (lookup, at, (gsize) (stop - at), error);
          else
            {
              g_byte_array_append (rest, (const guint8 *) at, (guint) (stop - at));
              done = take_line (lookup, (const char *) rest->data, rest->len, error);
              g_byte_array_set_size (rest, 0);
            }
          if (!done)
            return FALSE;
        }
      g_byte_array_append (rest, (const guint8 *) at, (guint) (end - at));
      if (rest->len > LONGEST_LINE)
        {
          lookup->line++;
          return line_error (lookup, error, "too long for a line of word vectors");
        }
      if (got < BLOCK_BYTES)
        return rest->len == 0 || take_line (lookup, (const char *) rest->data, rest->len, error);
    }
}

/* sum[dimension] <- the vector of CLASS: its own, or the mean of its parts'; the missing words are
 * added to MISSING. */
static void
class_vector (const Lookup *lookup, const char *class, double *sum, GString *missing)
{
  g_autofree char *whole = joined (class, strlen (class));
  g_autofree char *key = lowered (whole, strlen (whole));
  const Word *word = g_hash_table_lookup (lookup->by_key, key);
  gsize dimension = (gsize) lookup->dimension;
  if (word->vector != NULL)
    {
      memcpy (sum, word->vector, dimension * sizeof *sum);
      return;
    }
  g_auto (GStrv) parts = g_strsplit (key, "_", -1);
  double n = 0;
  for (char **part = parts; *part != NULL; part++)
    {
      if (**part == '\0')
        continue;
      word = g_hash_table_lookup (lookup->by_key, *part);
      n++;
      if (word->vector == NULL)
        g_string_append_printf (missing, "%s\"%s\"", missing->len > 0 ? ", " : "", word->spelling);
      else
        for (gsize i = 0; i < dimension; i++)
          sum[i] += word->vector[i];
    }
  if (n == 0)
    g_string_append_printf (missing, "%s\"%s\"", missing->len > 0 ? ", " : "", class);
  for (gsize i = 0; i < dimension && n > 0; i++)
    sum[i] /= n;
}

/* cosine[n][n] of VECTOR[n][dimension]; FALSE, with the number of the vector in ZERO, where one has
 * no length. */
static gboolean
find_cosines (const double *vector, gint64 n, gint64 dimension, double *cosine, gint64 *zero)
{
  g_autofree double *unit = g_new (double, (gsize) n *(gsize) dimension);
  for (gint64 k = 0; k < n; k++)
    {
      const double *v = vector + k * dimension;
      double largest = 0, square = 0;
      for (gint64 i = 0; i < dimension; i++)
        largest = fmax (largest, fabs (v[i]));
      *zero = k;
      if (largest == 0)
        return FALSE;
      for (gint64 i = 0; i < dimension;
           i++) /* scaled first: a square can neither overflow nor vanish */
        {
          unit[k * dimension + i] = v[i] / largest;
          square += unit[k * dimension + i] * unit[k * dimension + i];
        }
      for (gint64 i = 0; i < dimension; i++)
        unit[k * dimension + i] /= sqrt (square);
    }
  for (gint64 j = 0; j < n; j++)
    for (gint64 k = 0; k < n; k++)
      {
        double dot = 0;
        for (gint64 i = 0; i < dimension; i++)
          dot += unit[j * dimension + i] * unit[k * dimension + i];
        cosine[j * n + k] = CLAMP (dot, -1, 1);
      }
  return TRUE;
}

double *
sl_vectors_read (GInputStream *text, const char *name, const char *const *classes, GError **error)
{
  g_auto (Lookup) lookup
      = { .name = name,
          .words = g_ptr_array_new_with_free_func (word_free),
          .by_key = g_hash_table_new (g_str_hash, g_str_equal),
          .starts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gint64 n = 0;
  for (; classes[n] != NULL; n++)
    want_class (&lookup, classes[n]);
  if (!read_lines (&lookup, text, error))
    return NULL;
  /* A text without a line has no dimension. */
  gsize dimension = (gsize) MAX (lookup.dimension, 1);
  g_autofree double *vector = g_new0 (double, (gsize) n *dimension);
  g_autoptr (GString) missing = g_string_new (NULL);
  for (gint64 k = 0; k < n; k++)
    class_vector (&lookup, classes[k], vector + (gsize) k * dimension, missing);
  if (missing->len > 0)
    {
      sl_error_bad_input (
          error,
          "%s: no vector for %s; every class needs one, under its name or that of each of "
          "its words",
          name, missing->str);
      return NULL;
    }
  g_autofree double *cosine = g_new (double, (gsize) n *(gsize) n);
  gint64 zero;
  if (!find_cosines (vector, n, lookup.dimension, cosine, &zero))
    {
      sl_error_bad_input (error, "%s: the vector of \"%s\" has length 0", name, classes[zero]);
      return NULL;
    }
  return g_steal_pointer (&cosine);
}
