/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache-key.h"

#include "pipeline/base/json.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/display/terminal.h"
#include "pipeline/files/content-digest.h"
#include "run-private.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Settings by which networks compute otherwise. */
static const char *const network_settings[]
    = { "OMP_", "GOMP_", "KMP_", "DNNL_", "ONEDNN_", "MKL_", "OPENBLAS_" };

static void
append_content (GString *json, const char *label, const char *name, const SlContent *content,
                guint64 *stamp)
{
  *stamp = *stamp * 31 + content->stamp;
  sl_json_member (json, label);
  g_string_append_c (json, '{');
  if (name != NULL)
    {
      g_autofree char *valid = g_utf8_make_valid (name, -1);
      sl_json_text_member (json, "name", valid);
    }
  if (content->files >= 0)
    sl_json_integer_member (json, "files", content->files);
  sl_json_integer_member (json, "size", content->size);
  sl_json_text_member (json, "xxh3", content->xxh3);
  g_string_append_c (json, '}');
}

/* Standard input, which is a regular file by now. */
static gboolean
append_stdin (GString *json, gint64 from, guint64 *stamp, char **why)
{
  SlContent content;
  if (from < 0 || !sl_content_of (STDIN_FILENO, from, -1, &content))
    {
      *why = g_strdup ("standard input cannot be read twice");
      return FALSE;
    }
  append_content (json, "standard input", NULL, &content, stamp);
  return TRUE;
}

/* Whether the name itself reaches the output: of sources (in the history), of what rows and pages
 * are said to be about. */
static gboolean
names_matter (const SlRun *run)
{
  return (run->command->flags & (SL_COMMAND_SOURCES | SL_COMMAND_BYTES | SL_COMMAND_ROWS_HAVE_TAGS))
         != 0;
}

static gboolean
append_input (GString *json, const SlRun *run, const char *label, const char *path, gboolean named,
              guint64 *stamp, char **why)
{
  if (strcmp (path, "-") == 0)
    return append_stdin (json, run->priv->stdin_from, stamp, why);
  SlContent content;
  if (!sl_content_of_path (path, &content, why))
    return FALSE;
  /* The folders of a partition say what their rows are. */
  gboolean says = content.files >= 0 && strchr (path, '=') != NULL;
  append_content (json, label, named || says ? path : NULL, &content, stamp);
  return TRUE;
}

static gboolean
append_inputs (GString *json, const SlRun *run, guint64 *stamp, char **why)
{
  gboolean ok = TRUE;
  g_string_append_c (json, '{');
  if (run->files[0] == NULL && sl_run_takes_stdin (run))
    ok = append_stdin (json, run->priv->stdin_from, stamp, why);
  for (guint i = 0; ok && run->files[i] != NULL; i++)
    {
      g_autofree char *label = g_strdup_printf ("file %u", i + 1);
      ok = append_input (json, run, label, run->files[i], names_matter (run), stamp, why);
    }
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    for (gsize i = 0; ok && sl_option_input (run->options, option, i) != NULL; i++)
      {
        g_autofree char *label = option->kind == SL_OPTION_INPUT
                                     ? g_strdup_printf ("--%s", option->name)
                                     : g_strdup_printf ("--%s %u", option->name, (guint) i + 1);
        const char *path = sl_option_input (run->options, option, i);
        ok = (option->by_itself != NULL && strcmp (path, option->by_itself) == 0)
             || append_input (json, run, label, path, FALSE, stamp, why);
      }
  g_string_append_c (json, '}');
  return ok;
}

char *
sl_cache_key_inputs (const SlRun *run, guint64 *stamp)
{
  g_autoptr (GString) json = g_string_new (NULL);
  g_autofree char *why = NULL;
  return append_inputs (json, run, stamp, &why) ? g_strdup (json->str) : NULL;
}

static SlFormat
format_of (const SlRun *run)
{
  const SlCommonOptions *common = sl_run_common (run);
  SlFormat format = (SlFormat) common->format;
  if (format == SL_FORMAT_AUTO)
    format = sl_format_of_path (common->output);
  return format != SL_FORMAT_AUTO ? format : SL_FORMAT_ARROWS;
}

static void
append_outputs (GString *json, const SlRun *run)
{
  gboolean table = !(run->command->flags & SL_COMMAND_BYTES);
  sl_json_member (json, "outputs");
  g_string_append_c (json, '{');
  sl_json_text_member (json, "output", table ? sl_format_names[format_of (run)] : "bytes");
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    {
      const char *path
          = option->kind == SL_OPTION_OUTPUT ? sl_option_path (run->options, option) : NULL;
      /* What shapes the output is named in what is said of it. */
      if (path != NULL)
        sl_json_text_member (json, option->name,
                             option->shapes_output ? path
                                                   : sl_format_names[sl_format_of_path (path)]);
    }
  g_string_append_c (json, '}');
}

/* What else the output depends on: how wide a readable table may be, which characters there are,
 * and what networks compute with. */
static void
append_environment (GString *json, const SlRun *run)
{
  const char *charset;
  (void) g_get_charset (&charset);
  sl_json_member (json, "environment");
  g_string_append_c (json, '{');
  sl_json_text_member (json, "charset", charset);
  sl_json_text_member (json, "G_FILENAME_ENCODING", g_getenv ("G_FILENAME_ENCODING"));
  if (format_of (run) == SL_FORMAT_TABLE)
    sl_json_integer_member (json, "columns", sl_display_columns ());
  if (run->command->flags & SL_COMMAND_NETWORKS)
    {
      char processor[33];
      sl_processor_digest (processor);
      sl_json_text_member (json, "processor", processor);
      sl_json_integer_member (json, "threads", run->threads);
      g_auto (GStrv) names = g_listenv ();
      for (gsize i = 0; i < G_N_ELEMENTS (network_settings); i++)
        for (char **name = names; *name != NULL; name++)
          if (g_str_has_prefix (*name, network_settings[i]))
            sl_json_text_member (json, *name, g_getenv (*name));
    }
  g_string_append_c (json, '}');
}

/* Why RUN cannot be cached whatever it reads; NULL where it can. */
static const char *
find_hindrance (const SlRun *run)
{
  const SlCommand *command = run->command;
  g_autofree char *prints = sl_run_prints_by (run);
  if (sl_command_prints (command) || prints != NULL)
    return "it prints text";
  if (command->flags & SL_COMMAND_FOLDER || sl_run_writes_parts (run))
    return "it writes a folder";
  const char *main = sl_run_common (run)->output;
  if ((main == NULL || strcmp (main, "-") == 0) && isatty (STDOUT_FILENO))
    return "standard output is a terminal";
  const SlOption *option = command->options;
  for (; option != NULL && option->name != NULL; option++)
    {
      const char *path
          = option->kind == SL_OPTION_OUTPUT ? sl_option_path (run->options, option) : NULL;
      struct stat info;
      if (path != NULL && option->is_folder)
        return "it writes a folder";
      if (path != NULL && stat (path, &info) == 0 && !S_ISREG (info.st_mode))
        return "an output beside the main one goes to no regular file";
      if (path != NULL && option->lands_early)
        return "it writes checkpoints, and may begin with one";
    }
  return NULL;
}

/* Standard input can be read again afterwards: it is a file, or becomes one. */
static gboolean
settle_stdin (SlRun *run, const char *folder, char **why)
{
  struct stat info;
  run->priv->stdin_from = -1;
  if (!sl_run_takes_stdin (run))
    return TRUE;
  if (isatty (STDIN_FILENO) || fstat (STDIN_FILENO, &info) != 0 || S_ISDIR (info.st_mode))
    {
      *why = g_strdup ("standard input is no pipe and no file");
      return FALSE;
    }
  g_autoptr (GError) problem = NULL;
  if (!S_ISREG (info.st_mode) && !sl_stdin_keep (folder, &problem))
    {
      g_autofree char *text = g_strdup_printf ("not cached: %s", problem->message);
      sl_messages_say (&run->priv->messages, SL_MESSAGE_WARNING, text);
      *why = g_strdup ("standard input cannot be read twice");
      return FALSE;
    }
  run->priv->stdin_from = lseek (STDIN_FILENO, 0, SEEK_CUR);
  return TRUE;
}

char *
sl_cache_key (SlRun *run, const char *folder, char **why)
{
  const SlCommand *command = run->command;
  const char *hindrance = find_hindrance (run);
  const char *missing = hindrance == NULL && command->load != NULL ? command->load () : NULL;
  if (hindrance != NULL || missing != NULL)
    *why = g_strdup (hindrance != NULL ? hindrance : missing);
  sl_named_files_watch ();
  if (*why != NULL || !settle_stdin (run, folder, why))
    return NULL;
  char program[33];
  if (!sl_program_digest (program))
    {
      *why = g_strdup ("the program's own file cannot be read");
      return NULL;
    }
  g_autoptr (GString) json = g_string_new ("{");
  sl_json_text_member (json, "verb", command->name);
  sl_json_text_member (json, "version", SL_VERSION);
  sl_json_text_member (json, "program", program);
  /* All options, also those that no history keeps: they may decide what is said. */
  sl_json_member (json, "options");
  g_string_append_c (json, '{');
  const SlOption *option = run->options->table;
  for (; option != NULL && option->name != NULL; option++)
    if (option->kind != SL_OPTION_OUTPUT)
      {
        sl_json_member (json, option->name);
        sl_option_to_json (option, sl_option_field (option, run->options->values), json);
      }
  g_string_append_c (json, '}');
  sl_json_member (json, "seed");
  g_string_append_printf (json, "%" G_GUINT64_FORMAT, run->seed);
  sl_json_text_member (json, "shard", sl_run_common (run)->shard);
  sl_json_text_member (json, "tags", run->priv->provenance.tags);
  sl_json_member (json, "history");
  g_string_append (json, sl_run_common (run)->no_provenance ? "false" : "true");
  sl_json_member (json, "digests");
  g_string_append (json, sl_run_common (run)->no_digest ? "false" : "true");
  append_outputs (json, run);
  append_environment (json, run);
  sl_json_member (json, "inputs");
  if (!append_inputs (json, run, &run->priv->cache.stamp, why))
    return NULL;
  g_string_append_c (json, '}');
  return g_strdup (json->str);
}

/* The note that tells one build of a library from all others; FALSE where it has none. */
static gboolean
append_build_id (GString *text, const struct dl_phdr_info *info)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *part = &info->dlpi_phdr[i];
      if (part->p_type != PT_NOTE || part->p_align > 8)
        continue;
      const char *at = (const char *) info->dlpi_addr + part->p_vaddr, *end = at + part->p_memsz;
      while ((gsize) (end - at) >= sizeof (ElfW (Nhdr)))
        {
          ElfW (Nhdr) note;
          memcpy (&note, at, sizeof note);
          const char *name = at + sizeof note;
          const char *bytes = name + ((note.n_namesz + 3) & ~3u);
          if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp (name, "GNU", 4) == 0)
            {
              g_string_append_len (text, bytes, (gssize) note.n_descsz);
              return TRUE;
            }
          gsize step = (gsize) (bytes - at) + ((note.n_descsz + 3) & ~3u);
          at += MIN (step, (gsize) (end - at));
        }
    }
  return FALSE;
}

/* What the kernel maps into every program, and what has no file, computes nothing here. */
static int
add_library (struct dl_phdr_info *info, size_t size, void *data)
{
  GString *text = data;
  struct stat found;
  if (info->dlpi_name == NULL || info->dlpi_name[0] != '/')
    return 0;
  g_autofree char *base = g_path_get_basename (info->dlpi_name);
  g_string_append_printf (text, "\n%s ", base);
  if (!append_build_id (text, info) && stat (info->dlpi_name, &found) == 0)
    g_string_append_printf (text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld",
                            (gint64) found.st_size, (gint64) found.st_mtim.tv_sec,
                            found.st_mtim.tv_nsec);
  return 0;
}

gboolean
sl_program_digest (char xxh3[33])
{
  g_autoptr (GString) text = g_string_new (NULL);
  SlContent own = { 0 };
  g_autofree char *why = NULL;
  gboolean there = sl_content_of_path ("/proc/self/exe", &own, &why);
  if (there)
    g_string_append (text, own.xxh3);
  (void) dl_iterate_phdr (add_library, text);
  sl_content_of_text (text->str, text->len, xxh3);
  return there;
}

void
sl_processor_digest (char xxh3[33])
{
  static const char *const telling[] = { "vendor_id", "cpu family", "model", "flags", "CPU" };
  g_autofree char *all = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  if (g_file_get_contents ("/proc/cpuinfo", &all, NULL, NULL))
    {
      char *end = strstr (all, "\n\n");
      if (end != NULL)
        *end = '\0';
      g_auto (GStrv) lines = g_strsplit (all, "\n", -1);
      for (char **line = lines; *line != NULL; line++)
        for (gsize i = 0; i < G_N_ELEMENTS (telling); i++)
          if (g_str_has_prefix (*line, telling[i]))
            g_string_append_printf (text, "%s\n", *line);
    }
  sl_content_of_text (text->str, text->len, xxh3);
}
