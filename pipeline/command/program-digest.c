/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program-digest.h"

#include "pipeline/files/content-digest.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

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
  gboolean there = sl_content_at ("/proc/self/exe", &own, &why);
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
