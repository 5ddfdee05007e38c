/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/nearest.h"
#include "pipeline/base/number-text.h"
#include "pipeline/command/options/option-scope.h"
#include "arrays.h"

#include <locale.h>

typedef struct
{
  gboolean flag;
  gint64 integer;
  double real;
  int choice;
  char *text, *input;
  char **texts;
} Own;

typedef struct
{
  gboolean other_flag;
  gint64 size;
  char *output;
} Common;

static const char *const choices[] = { "red", "green", "dark-blue", NULL };

static const SlOption own[] = {
  { .name = "flag", .letter = 'f', .kind = SL_OPTION_FLAG, .field = offsetof (Own, flag) },
  { .name = "integer",
    .letter = 'i',
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Own, integer),
    .min = -3,
    .max = 10 },
  { .name = "open",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Own, integer),
    .max = 9e18,
    .unrecorded = TRUE },
  { .name = "real", .kind = SL_OPTION_REAL, .field = offsetof (Own, real), .min = 0, .max = 1 },
  { .name = "choice",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Own, choice),
    .choices = choices },
  { .name = "text", .letter = 't', .kind = SL_OPTION_TEXT, .field = offsetof (Own, text) },
  { .name = "texts", .kind = SL_OPTION_TEXTS, .field = offsetof (Own, texts) },
  { .name = "input", .kind = SL_OPTION_INPUT, .field = offsetof (Own, input) },
  { 0 },
};

static const SlOption common[] = {
  { .name = "size", .kind = SL_OPTION_SIZE, .field = offsetof (Common, size) },
  { .name = "other-flag",
    .letter = 'g',
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Common, other_flag),
    .unrecorded = TRUE },
  { .name = "output", .letter = 'o', .kind = SL_OPTION_OUTPUT, .field = offsetof (Common, output) },
  { 0 },
};

/* Options that go with choices, with an option that is given, and with some flags alone. */
#define WARM 1
#define COLD 2
static const guint32 traits[] = { WARM, COLD, COLD | 4 };

static const SlOption scoped[] = {
  { .name = "choice",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Own, choice),
    .choices = choices,
    .traits = traits },
  { .name = "flag", .kind = SL_OPTION_FLAG, .field = offsetof (Own, flag), .alone = TRUE },
  { .name = "integer",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Own, integer),
    .max = 10,
    .with = "choice",
    .of = WARM,
    .or_with = "flag" },
  { .name = "real",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Own, real),
    .max = 1,
    .with = "choice",
    .of = WARM | 4 },
  { .name = "text", .kind = SL_OPTION_TEXT, .field = offsetof (Own, text), .with = "integer" },
  { 0 },
};

static const Own own_defaults = { .integer = 7, .real = 0.1, .choice = 2 };
static const Common common_defaults = { .size = 1024 };

static SlOptions own_options, common_options;
#define OWN ((const Own *) own_options.values)
#define COMMON ((const Common *) common_options.values)

static int
begin (void **state)
{
  (void) state;
  sl_options_init (&own_options, own, &own_defaults, sizeof own_defaults);
  sl_options_init (&common_options, common, &common_defaults, sizeof common_defaults);
  return 0;
}

static int
end (void **state)
{
  (void) state;
  sl_options_clear (&own_options);
  sl_options_clear (&common_options);
  return 0;
}

/* As another run would. */
static void
begin_again (void)
{
  (void) end (NULL);
  (void) begin (NULL);
}

/* Parses LINE, words between spaces; returns what is left, joined by "|", or NULL. */
static char *
parse (const char *line, GError **error)
{
  char **words = g_strsplit (line, " ", -1);
  char *left = NULL;
  if (sl_options_parse (&own_options, &common_options, &words, error))
    left = g_strjoinv ("|", words);
  g_strfreev (words);
  return left;
}

static void
accepts (const char *line, const char *files)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *left = parse (line, &error);
  if (left == NULL)
    fail_msg ("'%s': %s", line, error->message);
  assert_string_equal (left, files);
}

static void
refuses (const char *line, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *left = parse (line, &error);
  if (left != NULL)
    fail_msg ("'%s' is accepted", line);
  assert_error (&error, SL_ERROR_USAGE, part);
}

static void
test_defaults (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  char **none = g_new0 (char *, 1);
  assert_true (sl_options_parse (&own_options, &common_options, &none, &error));
  assert_null (none[0]);
  g_strfreev (none);
  assert_int_equal (OWN->integer, 7);
  assert_int_equal (OWN->choice, 2);
  assert_null (OWN->text);
  for (const SlOption *option = own; option->name != NULL; option++)
    assert_false (sl_option_given (&own_options, option->name));
}

static void
test_spellings (void **state)
{
  (void) state;
  accepts ("--integer=3 --real 0.25 -f file", "file");
  assert_int_equal (OWN->integer, 3);
  assert_real (OWN->real, 0.25);
  assert_true (OWN->flag);
  assert_false (COMMON->other_flag);
  accepts ("one -gi 4 two -i5 --flag three", "one|two|three");
  assert_true (COMMON->other_flag);
  assert_int_equal (OWN->integer, 5);
  accepts ("--text=a=b --output=x.parquet --input in --choice green", "");
  assert_string_equal (OWN->text, "a=b");
  assert_string_equal (COMMON->output, "x.parquet");
  assert_string_equal (OWN->input, "in");
  assert_int_equal (OWN->choice, 1);
  accepts ("-o- -t -", "");
  assert_string_equal (COMMON->output, "-");
  assert_string_equal (OWN->text, "-");
}

static void
test_given (void **state)
{
  (void) state;
  accepts ("--integer=7 -o x", "");
  /* Given, although it is the default. */
  assert_true (sl_option_given (&own_options, "integer"));
  assert_false (sl_option_given (&own_options, "real"));
  assert_true (sl_option_given (&common_options, "output"));
  begin_again ();
  accepts ("--real 1", "");
  assert_false (sl_option_given (&own_options, "integer"));
  assert_true (sl_option_given (&own_options, "real"));
}

static void
test_again (void **state)
{
  (void) state;
  accepts ("--integer 1 --integer 2 --text a --text b --texts x --texts y,z --texts x", "");
  assert_int_equal (OWN->integer, 2);
  assert_string_equal (OWN->text, "b");
  assert_int_equal (g_strv_length (OWN->texts), 3);
  assert_string_equal (OWN->texts[0], "x");
  assert_string_equal (OWN->texts[1], "y,z");
  assert_string_equal (OWN->texts[2], "x");
}

static void
test_files (void **state)
{
  (void) state;
  accepts ("b - a", "b|-|a");
  accepts ("b -- a", "b|a");
  accepts ("-- --flag -x", "--flag|-x");
  assert_false (OWN->flag);
  accepts ("a --flag -- -x --", "a|-x|--");
  assert_true (OWN->flag);
  accepts ("--", "");
  accepts ("-o -- a", "a");
  assert_string_equal (COMMON->output, "--");
}

static void
test_integers (void **state)
{
  (void) state;
  accepts ("--integer -3", "");
  assert_int_equal (OWN->integer, -3);
  accepts ("--integer=+10", "");
  assert_int_equal (OWN->integer, 10);
  refuses ("--integer=11", "--integer: '11' is not between -3 and 10");
  refuses ("--integer=-4", "between -3 and 10");
  refuses ("--integer=99999999999999999999", "'99999999999999999999' is not between -3 and 10");
  refuses ("--open=9223372036854775807",
           "--open: '9223372036854775807' is too large (at most 9000000000000000000)");
  refuses ("--open=99999999999999999999", "is too large (at most 9000000000000000000)");
  refuses ("--open=-99999999999999999999", "is not 0 or more");
  accepts ("--open=9000000000000000000", "");
  assert_int_equal (OWN->integer, G_GINT64_CONSTANT (9000000000000000000));
  accepts ("--integer=10", "");
  static const char *const wrong[]
      = { "", "x", "5x", "x5", "0x10", "1e3", "5.0", "5,0", "--5", "+-5", "1_0", "\xd9\xa3" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *line = g_strdup_printf ("--integer=%s", wrong[i]);
      g_autofree char *message
          = g_strdup_printf ("--integer: '%s' is not a whole number", wrong[i]);
      refuses (line, message);
    }
  assert_int_equal (OWN->integer, 10);
}

static void
test_reals (void **state)
{
  (void) state;
  static const struct
  {
    const char *text;
    double value;
  } right[] = { { "0", 0 },      { "1", 1 },      { ".5", 0.5 },  { "1.", 1 },
                { "+0.5", 0.5 }, { "5e-1", 0.5 }, { "0.1", 0.1 }, { "1E-3", 0.001 } };
  for (gsize i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autofree char *line = g_strdup_printf ("--real=%s", right[i].text);
      accepts (line, "");
      assert_real (OWN->real, right[i].value);
    }
  refuses ("--real=1.5", "--real: '1.5' is not between 0 and 1");
  refuses ("--real=-1e-9", "between 0 and 1");
  refuses ("--real=1e999", "--real: '1e999' is not between 0 and 1");
  static const char *const wrong[]
      = { "", "x", "0,5", "0.5x", "0.5,", "nan", "inf", "-inf", "0x1p-1", "+-1", "0.5.", "." };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *line = g_strdup_printf ("--real=%s", wrong[i]);
      refuses (line, "is not a number");
    }
}

static void
test_sizes (void **state)
{
  (void) state;
  static const struct
  {
    const char *text;
    gint64 value;
  } right[]
      = { { "0", 0 },          { "1", 1 },          { "1000", 1000 },      { "512M", 512ll << 20 },
          { "2G", 2ll << 30 }, { "2g", 2ll << 30 }, { "1.5T", 3ll << 39 }, { "1KiB", 1024 },
          { "1KB", 1024 },     { "7B", 7 },         { "0.5k", 512 },       { "1e3", 1000 } };
  for (gsize i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autofree char *line = g_strdup_printf ("--size=%s", right[i].text);
      accepts (line, "");
      assert_int_equal (COMMON->size, right[i].value);
    }
  static const char *const wrong[]
      = { "",    "M",    "B",  "MB", "-1", "-1M", "1X", "1MM", "1 M", "1,5G", "99999999999T",
          "nan", "infG", "5i", "5iB" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *line = g_strdup_printf ("--size=%s", wrong[i]);
      char **words = (char *[]){ line, NULL };
      words = g_strdupv (words);
      g_autoptr (GError) error = NULL;
      if (sl_options_parse (&own_options, &common_options, &words, &error))
        fail_msg ("'%s' is accepted", line);
      assert_error (&error, SL_ERROR_USAGE, "is not a size such as");
      g_strfreev (words);
    }
}

static void
test_choice_names (void **state)
{
  (void) state;
  accepts ("--choice dark-blue", "");
  assert_int_equal (OWN->choice, 2);
  refuses ("--choice blue", "--choice: 'blue' is not one of red, green, dark-blue");
  refuses ("--choice=Red", "is not one of");
  refuses ("--choice=gree", "is not one of");
  refuses ("--choice=", "is not one of");
}

static void
test_texts (void **state)
{
  (void) state;
  refuses ("--text=", "--text: its value is empty");
  refuses ("--text=\xff", "is not UTF-8 text");
  refuses ("--texts=a\xc3", "is not UTF-8 text");
  /* File names are bytes. */
  accepts ("--input=\xff.csv --output=\xfe", "");
  assert_string_equal (OWN->input, "\xff.csv");
  assert_string_equal (COMMON->output, "\xfe");
  refuses ("--output=", "--output: its value is empty");
}

static void
test_wrong_lines (void **state)
{
  (void) state;
  refuses ("--no-such=5", "--no-such is no option");
  refuses ("-z", "-z is no option");
  refuses ("-fz", "-z is no option");
  refuses ("-fi", "-i lacks its value");
  refuses ("--flag=yes", "--flag takes no value");
  refuses ("--integer", "--integer lacks its value");
  refuses ("file --text", "--text");
  refuses ("--integ 5", "--integ");
  /* The first of two mistakes. */
  refuses ("--integer x --real y", "--integer: 'x'");
}

static void
test_one_table (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  char **words = g_strsplit ("-g file --size 1K", " ", -1);
  SlOptions none = { 0 };
  assert_true (sl_options_parse (&none, &common_options, &words, &error));
  assert_string_equal (words[0], "file");
  assert_null (words[1]);
  assert_int_equal (COMMON->size, 1024);
  g_strfreev (words);
}

static void
test_json_of_defaults (void **state)
{
  (void) state;
  g_autofree char *json = sl_options_to_json (&own_options);
  assert_string_equal (
      json, "{\"flag\":false,\"integer\":7,\"real\":0.1,\"choice\":\"dark-blue\",\"text\":null,"
            "\"texts\":[],\"input\":null}");
  /* What changes no byte of the output is not in it, nor where that goes. */
  g_autofree char *rest = sl_options_to_json (&common_options);
  assert_string_equal (rest, "{\"size\":1024}");
  const SlOptions none = { 0 };
  g_autofree char *nothing = sl_options_to_json (&none);
  assert_string_equal (nothing, "{}");
}

static void
test_json_of_values (void **state)
{
  (void) state;
  accepts (
      "--flag --integer=-3 --real 1e-3 --choice=red --text=\"\\\x01\xc3\xa9 --texts= --texts=a,b "
      "--input=/home/me/\xff.csv",
      "");
  g_autofree char *json = sl_options_to_json (&own_options);
  assert_string_equal (json, "{\"flag\":true,\"integer\":-3,\"real\":0.001,\"choice\":\"red\","
                             "\"text\":\"\\\"\\\\\\u0001\xc3\xa9\",\"texts\":[\"\",\"a,b\"],"
                             "\"input\":\"\xef\xbf\xbd.csv\"}");
}

/* Numbers with more text after them, that the length leaves out. */
static void
test_lengths (void **state)
{
  (void) state;
  double real;
  gint64 integer;
  assert_true (sl_parse_real ("0.25,3", 4, &real));
  assert_real (real, 0.25);
  assert_false (sl_parse_real ("0.25,3", 5, &real));
  assert_false (sl_parse_real ("0.25", 0, &real));
  assert_false (sl_parse_real ("1\0", 2, &real));
  assert_true (sl_parse_real ("-1e2", -1, &real));
  assert_real (real, -100);
  assert_true (sl_parse_integer ("123456", 3, &integer));
  assert_int_equal (integer, 123);
  assert_false (sl_parse_integer ("12 ", 3, &integer));
  assert_false (sl_parse_integer (" 12", 3, &integer));
  assert_false (sl_parse_integer ("12", 0, &integer));
  assert_true (sl_parse_integer ("-9223372036854775808", -1, &integer));
  assert_true (integer == G_MININT64);
  assert_false (sl_parse_integer ("9223372036854775808", -1, &integer));
}

/* Whether LINE, of the options SCOPED, is refused, with PART in the error; or, with NULL,
 * accepted. */
static void
scope_of_line (const char *line, const char *part)
{
  g_autoptr (GError) error = NULL;
  SlOptions options, none;
  sl_options_init (&options, scoped, &own_defaults, sizeof own_defaults);
  sl_options_init (&none, NULL, &own_defaults, sizeof own_defaults);
  char **words = g_strsplit (line, " ", -1);
  assert_true (sl_options_parse (&options, &none, &words, &error));
  g_strfreev (words);
  gboolean ok = sl_options_check_scope (&options, &error);
  assert_true (ok == (part == NULL));
  if (part != NULL)
    assert_error (&error, SL_ERROR_USAGE, part);
  sl_options_clear (&options);
  sl_options_clear (&none);
}

static void
test_scopes (void **state)
{
  (void) state;
  scope_of_line ("--choice red --integer 1 --real 1 --text a", NULL);
  scope_of_line ("--real 1", NULL); /* the default, dark-blue, has the trait 4 */
  scope_of_line ("--integer 1", "--integer does not go with --choice dark-blue, only with red");
  scope_of_line ("--choice green --real 1", "does not go with --choice green, only with red or");
  scope_of_line ("--choice red --text a", "--text goes with --integer only");
  /* Of the option that it goes with, the scope holds too. */
  scope_of_line ("--choice green --text a", "--text does not go with --choice green");
  scope_of_line ("--flag --integer 1", NULL);
  scope_of_line ("--flag --real 1", "--real does not go with --flag");
  scope_of_line ("--flag --choice red", "--choice does not go with --flag");
}

static void
test_words_of_scopes (void **state)
{
  (void) state;
  static const char *const words[]
      = { NULL, "goes with --integer only", "only with --choice red, or --flag",
          "not with --choice green", "only with --integer" };
  for (int i = 0; scoped[i].name != NULL; i++)
    {
      g_autofree char *said = sl_option_scope (scoped, &scoped[i]);
      if (words[i] == NULL)
        assert_null (said);
      else
        assert_string_equal (said, words[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, begin, end)

/* tests/faults/locale runs this in a locale that writes 0,5 too. */
static void
test_nearest (void **state)
{
  (void) state;
  static const char *const names[]
      = { "mean",         "majority", "dawid-skene", "zero-based-skill", "soft-dawid-skene",
          "simulate fit", "id",       NULL };
  static const struct
  {
    const char *word, *meant;
  } cases[] = {
    { "dawid_skene", "dawid-skene" },
    { "Dawid-Skene", "dawid-skene" },
    { "davidskene", "dawid-skene" },
    { "ds", "dawid-skene" },
    { "sds", "soft-dawid-skene" },
    { "zbs", "zero-based-skill" },
    { "maen", "mean" },
    { "magority", "majority" },
    { "maj", "majority" },
    { "simulate-fti", "simulate fit" },
    { "-v", NULL },
    { "m", NULL },
    { "", NULL },
    { "glad", NULL },
    { "\xff\xfe\xfd", NULL },
    { "a word of more letters than any of the names may have", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (g_strcmp0 (sl_nearest (cases[i].word, names), cases[i].meant) != 0)
      fail_msg ("%s: %s", cases[i].word, sl_nearest (cases[i].word, names));
}

int
main (void)
{
  setlocale (LC_ALL, "");
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_nearest),
    TEST (test_defaults),
    TEST (test_spellings),
    TEST (test_given),
    TEST (test_again),
    TEST (test_files),
    TEST (test_integers),
    TEST (test_reals),
    TEST (test_sizes),
    TEST (test_choice_names),
    TEST (test_texts),
    TEST (test_wrong_lines),
    TEST (test_one_table),
    TEST (test_json_of_defaults),
    TEST (test_json_of_values),
    TEST (test_lengths),
    TEST (test_scopes),
    TEST (test_words_of_scopes),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
