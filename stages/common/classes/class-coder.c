/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-coder.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "class-list.h"
#include "look-alikes.h"

#include <string.h>

enum
{
  SLOT_BITS = 9,
};

typedef struct _SlCoderSlot
{
  guint64 key[2]; /* a text of up to 16 bytes, padded with zeros */
  gsize n;
  gint32 code;
} Slot;

/* What pandas, R, SQL and spreadsheets write where there is no value. Words that people also use as
 * answers, such as "none", are not among them. */
static const char *const usual_missing[]
    = { "", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", NULL };

gboolean
sl_class_texts_init (SlClassTexts *texts, gboolean trim, char *const *missing, char *const *renamed,
                     GError **error)
{
  guint n = renamed != NULL ? g_strv_length ((char **) renamed) : 0;
  texts->trim = trim;
  texts->bins = NULL;
  texts->ignore_case = FALSE;
  /* An empty TEXT, which is no answer anyway, stands for: no others than those that are given. */
  gboolean usual = missing == NULL || !g_strv_contains ((const char *const *) missing, "");
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  texts->n_said = missing != NULL ? (int) g_strv_length ((char **) missing) : 0;
  if (missing != NULL)
    g_strv_builder_addv (all, (const char **) missing);
  if (usual)
    g_strv_builder_addv (all, (const char **) usual_missing);
  texts->missing = g_strv_builder_end (all);
  texts->from = g_new0 (char *, n + 1);
  texts->to = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      const char *equals = strchr (renamed[i], '=');
      if (equals == NULL || equals == renamed[i] || equals[1] == '\0')
        return sl_error_usage (error, "--rename-class: '%s' is not of the form OLD=NEW",
                               renamed[i]);
      texts->from[i] = g_strndup (renamed[i], (gsize) (equals - renamed[i]));
      texts->to[i] = g_strdup (equals + 1);
    }
  return TRUE;
}

void
sl_class_texts_clear (SlClassTexts *texts)
{
  g_strfreev (texts->missing);
  g_strfreev (texts->from);
  g_strfreev (texts->to);
  g_clear_pointer (&texts->bins, sl_bins_free);
}

void
sl_bins_free (SlBins *bins)
{
  g_free (bins->edge);
  g_free (bins);
}

gint32
sl_bins_find (const SlBins *bins, const char *text, gsize n)
{
  double number;
  if (!sl_parse_real (text, (gssize) n, &number) || number < bins->edge[0]
      || number > bins->edge[bins->n])
    return -1;
  gint32 k = 0;
  while (k < bins->n - 1 && number >= bins->edge[k + 1])
    k++;
  return k;
}

/* TEXT[n] may have bytes of 0 in it. */
static int
find_text (char *const *list, const char *text, gsize n)
{
  for (int i = 0; list[i] != NULL; i++)
    if (strlen (list[i]) == n && memcmp (list[i], text, n) == 0)
      return i;
  return -1;
}

static const char *
trimmed (const SlClassTexts *texts, const char *text, gsize *n)
{
  while (texts->trim && *n > 0 && g_ascii_isspace (text[0]))
    text++, --*n;
  while (texts->trim && *n > 0 && g_ascii_isspace (text[*n - 1]))
    --*n;
  return text;
}

gboolean
sl_class_texts_missing (const SlClassTexts *texts, const char *text, gsize n)
{
  return find_text (texts->missing, text, n) >= 0;
}

gboolean
sl_class_texts_said (const SlClassTexts *texts, const char *text, gsize n)
{
  text = trimmed (texts, text, &n);
  int place = n > 0 ? find_text (texts->missing, text, n) : -1;
  return place >= 0 && place < texts->n_said;
}

SlCoder *
sl_coder_new (const SlIntern *known, const SlClassTexts *texts)
{
  SlCoder *coder = g_new0 (SlCoder, 1);
  coder->known = known;
  coder->texts = texts;
  coder->learned = known == NULL ? sl_intern_new () : NULL;
  coder->recent = g_new0 (Slot, 1 << SLOT_BITS);
  return coder;
}

void
sl_coder_free (SlCoder *coder)
{
  g_clear_pointer (&coder->learned, sl_intern_free);
  g_clear_pointer (&coder->alike, g_hash_table_unref);
  g_clear_pointer (&coder->folded, g_hash_table_unref);
  g_free (coder->recent);
  g_free (coder);
}

/* NAME[n] in one case; of bytes that are no UTF-8 only ASCII letters have one. */
static char *
fold (const char *name, gsize n)
{
  return g_utf8_validate (name, (gssize) n, NULL) ? g_utf8_casefold (name, (gssize) n)
                                                  : g_ascii_strdown (name, (gssize) n);
}

/* The code of the known class that TEXT[n] is by what LOOK makes of both; SL_CODE_UNKNOWN if there
 * is none, or several are. *TABLE is made when it is first needed. */
static gint32
find_by_look (SlCoder *coder, GHashTable **table, char *(*look) (const char *name, gsize n),
              const char *text, gsize n)
{
  if (*table == NULL)
    {
      *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      for (gint32 k = 0; k < sl_intern_size (coder->known); k++)
        {
          gsize length;
          const char *name = sl_intern_get (coder->known, k, &length);
          char *its = look (name, length);
          gboolean again = g_hash_table_contains (*table, its);
          g_hash_table_replace (*table, its, GINT_TO_POINTER (again ? SL_CODE_UNKNOWN : k));
        }
    }
  g_autofree char *its = look (text, n);
  gpointer code;
  gboolean found = g_hash_table_lookup_extended (*table, its, NULL, &code);
  return found ? GPOINTER_TO_INT (code) : SL_CODE_UNKNOWN;
}

static gint32
code_of_name (SlCoder *coder, const char *name, gsize n)
{
  if (coder->known == NULL)
    return sl_intern (coder->learned, name, n);
  gint32 code = sl_intern_find (coder->known, name, n);
  return code < 0 && coder->texts != NULL && coder->texts->ignore_case
             ? find_by_look (coder, &coder->folded, fold, name, n)
             : code;
}

/* A name that is known as it stands is that class, whatever else the text could mean. */
static gint32
look_up (SlCoder *coder, const char *text, gsize n)
{
  const SlClassTexts *texts = coder->texts;
  gint32 code = coder->known != NULL ? sl_intern_find (coder->known, text, n) : SL_CODE_UNKNOWN;
  if (code >= 0)
    return code;
  if (texts == NULL)
    return code_of_name (coder, text, n);
  text = trimmed (texts, text, &n);
  int renamed = find_text (texts->from, text, n);
  if (renamed >= 0)
    {
      text = texts->to[renamed];
      n = strlen (text);
      if (texts->bins == NULL)
        return code_of_name (coder, text, n);
    }
  code = coder->known != NULL ? sl_intern_find (coder->known, text, n) : SL_CODE_UNKNOWN;
  if (code >= 0)
    return code;
  if (n == 0 || sl_class_texts_missing (texts, text, n))
    return SL_CODE_MISSING;
  return texts->bins != NULL ? sl_bins_find (texts->bins, text, n) : code_of_name (coder, text, n);
}

/* The first N of the 16 bytes at TEXT, the rest zero. */
static inline void
load_key (const char *text, gsize n, guint64 key[2])
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  memcpy (key, text, 16);
  key[0] &= n >= 8 ? ~G_GUINT64_CONSTANT (0) : (G_GUINT64_CONSTANT (1) << (8 * n)) - 1;
  key[1] &= n >= 16  ? ~G_GUINT64_CONSTANT (0)
            : n <= 8 ? 0
                     : (G_GUINT64_CONSTANT (1) << (8 * (n - 8))) - 1;
#else
  key[0] = key[1] = 0;
  memcpy (key, text, n);
#endif
}

gint32
sl_coder_code (SlCoder *coder, const char *text, gsize n)
{
  if (n == 0 || n > 16)
    return look_up (coder, text, n);
  guint64 key[2];
  load_key (text, n, key);
  guint64 hash = (key[0] ^ (key[1] * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)))
                 * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  Slot *slot = &coder->recent[(hash ^ n << 60) >> (64 - SLOT_BITS)];
  if (slot->key[0] == key[0] && slot->key[1] == key[1] && slot->n == n)
    return slot->code;
  gint32 code = look_up (coder, text, n);
  if (code != SL_CODE_UNKNOWN)
    *slot = (Slot){ { key[0], key[1] }, n, code };
  return code;
}

gint32
sl_coder_alike (SlCoder *coder, const char *text, gsize n)
{
  return coder->known != NULL ? find_by_look (coder, &coder->alike, sl_look_of, text, n)
                              : SL_CODE_UNKNOWN;
}

gboolean
sl_coder_merge (const SlCoder *coder, SlIntern *all, GHashTable *folded, GArray *map)
{
  for (gint32 i = (gint32) map->len; i < sl_intern_size (coder->learned); i++)
    {
      gsize length;
      const char *name = sl_intern_get (coder->learned, i, &length);
      g_autofree char *own = folded != NULL ? fold (name, length) : NULL;
      gpointer before;
      gboolean met = own != NULL && g_hash_table_lookup_extended (folded, own, NULL, &before);
      gint32 code = met ? GPOINTER_TO_INT (before) : sl_intern (all, name, length);
      if (own != NULL && !met)
        g_hash_table_insert (folded, g_steal_pointer (&own), GINT_TO_POINTER (code));
      g_array_append_val (map, code);
    }
  return sl_intern_size (all) <= SL_MAX_CLASSES;
}
