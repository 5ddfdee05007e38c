/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "label-bars.h"

#include "terminal.h"

#include <math.h>
#include <string.h>

#define GAP 2
#define NAME_MOST 24 /* columns that a class name keeps where there is little room */
#define NAME_LEAST 6 /* and where there is next to none */
#define SHORT 5   /* columns of the shortest full bars of ordered classes, which are all as long */
#define DIGITS 4  /* 0.72 */
#define EVEN 0.05 /* probabilities below this may be what was left, spread evenly */
#define SHOWN 0.005 /* a smaller probability would be shown as 0.00, and is not worth a slot */

#define GREEN "\033[32m"
#define CYAN "\033[36m"
#define DIM "\033[2m"
#define RESET "\033[0m"

typedef struct
{
  int n;
  gint32 code[SL_BARS_SLOTS + 1]; /* likeliest first; equal ones in class order */
} Top;

static Top
find_top (const double *p, gint32 n_classes)
{
  Top top = { 0 };
  for (gint32 k = 0; k < n_classes; k++)
    {
      if (!(p[k] >= SHOWN) || (top.n == SL_BARS_SLOTS + 1 && p[k] <= p[top.code[top.n - 1]]))
        continue;
      int at = top.n <= SL_BARS_SLOTS ? top.n++ : top.n - 1;
      for (; at > 0 && p[k] > p[top.code[at - 1]]; at--)
        top.code[at] = top.code[at - 1];
      top.code[at] = k;
    }
  return top;
}

/* How many classes are named where there are N_SLOTS. Classes among which mass is spread evenly
 * rank equally: if they cannot all be named, none of them is. */
static int
count_named (const Top *top, int n_slots, const double *p)
{
  int n = MIN (n_slots, top->n);
  while (n > 1 && n < top->n && p[top->code[n - 1]] < EVEN
         && p[top->code[n - 1]] <= p[top->code[n]] * (1 + 1e-9))
    n--;
  return n;
}

static int
by_code (gconstpointer a, gconstpointer b)
{
  return *(const gint32 *) a - *(const gint32 *) b;
}

/* The classes that are named where there are N_SLOTS, *N of them, in the order in which they stand.
 */
static Top
find_named (const SlBars *bars, const double *p, gint32 n_classes, int n_slots, int *n)
{
  Top top = find_top (p, n_classes);
  *n = count_named (&top, n_slots, p);
  if (bars->ordered)
    qsort (top.code, (gsize) *n, sizeof *top.code, by_code);
  return top;
}

/* How many classes beside the first N of TOP have any probability, and how much together. */
static gint32
count_others (const Top *top, int n, const double *p, gint32 n_classes, double *sum)
{
  gint32 count = 0;
  *sum = 0;
  for (gint32 k = 0; k < n_classes; k++)
    if (p[k] > 0)
      {
        count++;
        *sum += p[k];
      }
  for (int j = 0; j < n; j++)
    {
      count--;
      *sum -= p[top->code[j]];
    }
  *sum = MAX (*sum, 0);
  return count;
}

static void
append_name (GString *out, const SlTable *table, gint32 code, int most)
{
  gsize from = out->len;
  sl_display_text (out, table->classes[code], -1);
  sl_display_cut (out, from, most, TRUE);
}

static void
append_others (GString *out, gint32 count, double sum)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (digits, sizeof digits, "%.2f", sum);
  g_string_append_printf (out, "+%d %s %s", count, count == 1 ? "other" : "others", digits);
}

void
sl_bars_measure (SlBars *bars, const SlTable *table, const double *p)
{
  bars->ordered = table->values != NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  for (int n = 1; n <= SL_BARS_SLOTS; n++)
    {
      int named;
      Top top = find_named (bars, p, table->n_classes, n, &named);
      for (int j = 0; j < named; j++)
        {
          g_string_truncate (text, 0);
          append_name (text, table, top.code[j], G_MAXINT);
          bars->name[j] = MAX (bars->name[j], sl_display_width (text->str, -1));
        }
      double sum;
      gint32 count = count_others (&top, named, p, table->n_classes, &sum);
      if (count == 0)
        continue;
      g_string_truncate (text, 0);
      append_others (text, count, sum);
      bars->others[n] = MAX (bars->others[n], (int) text->len);
    }
}

/* Columns of the longest bar of slot J: the (j+1)-th largest of probabilities that sum to 1 is at
 * most 1/(j+1). */
static int
bar_room (const SlBars *bars, int j)
{
  return bars->ordered ? bars->full[j] : (bars->full[j] + j) / (j + 1);
}

static int
slot_width (const SlBars *bars, int j)
{
  int bar = bar_room (bars, j);
  return MIN (bars->name[j], bars->name_most) + 1 + (bar > 0 ? bar + 1 : 0) + DIGITS;
}

/* The width with N_SLOTS slots, bars of FULL in the first and of LATER in the others. */
static int
set_layout (SlBars *bars, int n_slots, int full, int later)
{
  int width = bars->others[n_slots] > 0 && !bars->alone ? GAP + bars->others[n_slots] : 0;
  bars->n_slots = n_slots;
  for (int j = 0; j < n_slots; j++)
    {
      bars->full[j] = j == 0 && !bars->ordered ? full : later;
      width += slot_width (bars, j) + (j > 0 ? GAP : 0);
    }
  return width;
}

int
sl_bars_least (const SlBars *bars)
{
  SlBars least = *bars;
  least.name_most = NAME_MOST;
  return set_layout (&least, 1, 6, 0);
}

int
sl_bars_fit (SlBars *bars, int width)
{
  /* Best first: more classes before whole names before longer bars, but bars of a length that can
   * be compared before a third class. */
  static const struct
  {
    int n_slots, most, least; /* bars' length */
    gboolean later;           /* bars in the later slots */
  } layouts[]
      = { { 3, 10, 8, TRUE }, { 2, 10, 6, TRUE }, { 2, 10, 6, FALSE }, { 1, 10, 0, FALSE } };
  bars->alone = FALSE;
  int used = SL_BARS_SLOTS;
  while (used > 1 && bars->name[used - 1] == 0)
    used--;
  for (guint i = 0; i < G_N_ELEMENTS (layouts) * 2; i++)
    {
      bars->name_most = i % 2 == 0 ? G_MAXINT : NAME_MOST;
      int shortest = bars->ordered ? MIN (layouts[i / 2].least, SHORT) : layouts[i / 2].least;
      for (int full = layouts[i / 2].most; full >= shortest; full--)
        {
          int got = set_layout (bars, MIN (layouts[i / 2].n_slots, used), full,
                                layouts[i / 2].later ? full : 0);
          if (got <= width)
            return got;
        }
    }
  int got = 0;
  for (int i = 0; i < 2; i++)
    for (int name = NAME_MOST; name >= (i > 0 ? NAME_LEAST : NAME_MOST / 2); name--)
      {
        bars->alone = i > 0;
        bars->name_most = name;
        if ((got = set_layout (bars, 1, 0, 0)) <= width)
          return got;
      }
  return got;
}

/* Appends a bar of P and returns its columns: eighths of a column in Unicode, whole ones in
 * ASCII. */
static int
append_bar (GString *out, double p, int full)
{
  static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  gboolean utf8 = sl_display_utf8 ();
  int parts = utf8 ? 8 : 1;
  int length = (int) lround (CLAMP (p, 0, 1) * full * parts);
  if (utf8 && length == 0)
    length = 1;
  for (int i = 0; i < length / parts; i++)
    g_string_append (out, utf8 ? "█" : "#");
  g_string_append (out, eighths[length % parts]);
  return (length + parts - 1) / parts;
}

/* Appends one slot, padding included; what it takes is slot_width() unless a name or bar is longer
 * than all measured. */
static int
draw_slot (const SlBars *bars, int j, const SlTable *table, gint32 code, double p,
           const char *color, GString *out)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  gsize from = out->len;
  append_name (out, table, code, bars->name_most);
  int width = sl_display_width (out->str + from, -1);
  int space = MAX (MIN (bars->name[j], bars->name_most) - width, 0);
  sl_display_space (out, space + 1);
  width += space + 1;
  if (bars->full[j] > 0)
    {
      g_string_append (out, color);
      int bar = append_bar (out, p, bars->full[j]);
      g_string_append (out, *color != '\0' ? RESET : "");
      int room = bar_room (bars, j);
      sl_display_space (out, room - bar + 1);
      width += MAX (room, bar) + 1;
    }
  g_ascii_formatd (digits, sizeof digits, "%.2f", p);
  g_string_append (out, digits);
  return width + DIGITS;
}

int
sl_bars_draw (const SlBars *bars, const SlTable *table, const double *p, gint32 gold,
              gboolean color, GString *out)
{
  int n, width = 0, at = 0;
  Top top = find_named (bars, p, table->n_classes, bars->n_slots, &n);
  for (int j = 0; j < n; j++)
    {
      gint32 code = top.code[j];
      const char *style = code == gold ? GREEN : CYAN;
      sl_display_space (out, j > 0 ? GAP : 0);
      width += j > 0 ? GAP : 0;
      width += draw_slot (bars, j, table, code, p[code], color ? style : "", out);
    }
  double sum;
  gint32 count = count_others (&top, n, p, table->n_classes, &sum);
  if (count == 0 || bars->alone)
    return width;
  for (int j = 0; j < bars->n_slots; j++)
    at += slot_width (bars, j) + GAP;
  sl_display_space (out, MAX (at - width, width > 0 ? GAP : 0));
  width = MAX (at, width + GAP);
  gsize from = out->len;
  g_string_append (out, color ? DIM : "");
  append_others (out, count, sum);
  int own = (int) (out->len - from) - (color ? (int) strlen (DIM) : 0);
  g_string_append (out, color ? RESET : "");
  return width + own;
}
