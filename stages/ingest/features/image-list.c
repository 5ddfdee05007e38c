/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image-list.h"

#include "pipeline/base/shown-text.h"
#include "stages/common/images/image-paths.h"
#include "examples-out.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  SlIngest *ingest;
  GRegex *pattern;  /* or NULL */
  GHashTable *map;  /* of --class-map: folder to class; or NULL */
  SlIntern *names;  /* of classes, known or found */
  gint64 unmatched; /* by the pattern */
  gint64 unmapped;
} Naming;

GRegex *
sl_image_pattern (const char *pattern, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_OPTIMIZE, 0, &problem);
  if (regex == NULL)
    sl_error_usage (error, "--pattern: %s", problem->message);
  else if (g_regex_get_string_number (regex, "item") < 0
           && g_regex_get_string_number (regex, "class") < 0)
    sl_error_usage (error, "--pattern: it has neither (?<item>...) nor (?<class>...)");
  else
    return g_steal_pointer (&regex);
  return NULL;
}

/* "n02123045,cat": a folder, what separates, a class. */
static gboolean
add_mapping (GHashTable *map, const SlTextLines *lines, gint64 i, GError **error)
{
  const char *line = lines->line[i], *at = strpbrk (line, "\t,");
  at = at != NULL ? at : strchr (line, ' ');
  if (line[0] == '\0')
    return TRUE;
  g_autofree char *folder = g_strndup (line, at != NULL ? (gsize) (at - line) : 0);
  g_autofree char *class = g_strdup (at != NULL ? at + 1 : "");
  g_strstrip (folder);
  g_strstrip (class);
  if (i == 0 && strcmp (folder, "folder") == 0)
    return TRUE;
  if (folder[0] == '\0' || class[0] == '\0')
    return sl_error_bad_input (error,
                               "--class-map: %s: line %" G_GINT64_FORMAT
                               " is not a folder, a comma or tab, and its class",
                               lines->name, i + 1);
  g_autofree char *shown = sl_shown (folder, strlen (folder));
  return g_hash_table_insert (map, g_steal_pointer (&folder), g_steal_pointer (&class))
         || sl_error_bad_input (
             error, "--class-map: %s: line %" G_GINT64_FORMAT ": folder '%s' is there twice",
             lines->name, i + 1, shown);
}

static GHashTable *
read_map (SlRun *run, const char *path, GError **error)
{
  g_auto (SlTextLines) lines = { 0 };
  g_autoptr (SlSource) source = NULL;
  if (!sl_run_add_option_file (run, "class-map", path, error)
      || (source = sl_source_open (path, error)) == NULL
      || !sl_text_lines_read (&lines, run, "class-map", source, error))
    return NULL;
  g_autoptr (GHashTable) map = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (gint64 i = 0; i < lines.n; i++)
    if (!add_mapping (map, &lines, i, error))
      return NULL;
  if (g_hash_table_size (map) == 0)
    {
      sl_error_bad_input (error, "--class-map: %s has no folders", lines.name);
      return NULL;
    }
  return g_steal_pointer (&map);
}

/* The folder that an image lies in, to be freed; NULL where there is none below what was named. */
static char *
folder_of (const SlImage *image)
{
  const char *slash = image->named ? NULL : strrchr (image->below, '/');
  return slash != NULL ? g_strndup (image->below, (gsize) (slash - image->below)) : NULL;
}

/* What is said of a folder, or of its last part. */
static const char *
look_up (GHashTable *map, const char *folder)
{
  const char *class = g_hash_table_lookup (map, folder), *slash = strrchr (folder, '/');
  return class != NULL || slash == NULL ? class : g_hash_table_lookup (map, slash + 1);
}

static char *
item_of (const Naming *naming, const SlImage *image)
{
  g_autofree char *name = g_path_get_basename (image->below);
  switch ((SlItemPart) naming->ingest->options->item_part)
    {
    case SL_ITEM_PATH:
      return g_strdup (image->below);
    case SL_ITEM_STEM:
      *strrchr (name, '.') = '\0';
      return g_steal_pointer (&name);
    default:
      return g_steal_pointer (&name);
    }
}

/* *CLASS is the text that stands for its class, or NULL; *OUT: it is to be left out. */
static gboolean
read_path (Naming *naming, SlImage *image, char **class, gboolean *out, GError **error)
{
  g_autoptr (GMatchInfo) match = NULL;
  *out = FALSE;
  *class = folder_of (image);
  if (!g_utf8_validate (image->below, -1, NULL))
    return sl_error_bad_input (error, "%s: its name is not UTF-8", image->path);
  if (naming->pattern != NULL)
    {
      if (!g_regex_match (naming->pattern, image->below, 0, &match))
        {
          *out = TRUE;
          naming->unmatched++;
          return TRUE;
        }
      image->item = g_match_info_fetch_named (match, "item");
      if (g_regex_get_string_number (naming->pattern, "class") >= 0)
        {
          g_free (*class);
          *class = g_match_info_fetch_named (match, "class");
        }
      if (image->item != NULL && image->item[0] == '\0')
        return sl_error_bad_input (error, "%s: --pattern finds an empty item in it", image->path);
    }
  else if (naming->map == NULL && *class != NULL && strchr (*class, '/') != NULL)
    return sl_error_bad_input (error,
                               "%s lies two folders or more deep: name the folder just above the "
                               "classes, or say by --pattern or --class-map what the classes are",
                               image->path);
  if (image->item == NULL)
    image->item = item_of (naming, image);
  return TRUE;
}

static gboolean
set_class (Naming *naming, SlImage *image, const char *text, gboolean *out, GError **error)
{
  const SlIngest *ingest = naming->ingest;
  if (text != NULL && naming->map != NULL)
    {
      text = look_up (naming->map, text);
      naming->unmapped += text == NULL;
      *out = text == NULL;
    }
  if (text == NULL || text[0] == '\0')
    return TRUE;
  image->gold = ingest->classes != NULL ? sl_intern_find (naming->names, text, strlen (text))
                                        : sl_intern (naming->names, text, strlen (text));
  if (image->gold >= 0 && image->gold < SL_MAX_CLASSES)
    return TRUE;
  g_autofree char *shown = sl_shown (text, strlen (text));
  return image->gold < 0
             ? sl_error_bad_input (error,
                                   "%s: '%s' is none of the classes (--class-map FILE says the "
                                   "class of each folder, and leaves out all other folders)",
                                   image->path, shown)
             : sl_error_bad_input (error,
                                   "%s: there are over %d classes: are these folders classes?",
                                   image->path, SL_MAX_CLASSES);
}

static gboolean
name_all (Naming *naming, GPtrArray *images, gboolean *gold, GError **error)
{
  guint n = 0;
  *gold = FALSE;
  for (guint i = 0; i < images->len; i++)
    {
      SlImage *image = images->pdata[i];
      g_autofree char *text = NULL;
      gboolean out;
      if (!read_path (naming, image, &text, &out, error)
          || (!out && !set_class (naming, image, text, &out, error)))
        return FALSE;
      *gold |= image->gold >= 0;
      if (out)
        continue;
      /* Those that are left out gather at the end. */
      images->pdata[i] = images->pdata[n];
      images->pdata[n++] = image;
    }
  if (naming->unmatched > 0)
    sl_run_warn (naming->ingest->run,
                 "%" G_GINT64_FORMAT " of %u images do not match --pattern: left out",
                 naming->unmatched, images->len);
  if (naming->unmapped > 0)
    sl_run_warn (naming->ingest->run,
                 "%" G_GINT64_FORMAT
                 " of %u images lie in folders that --class-map does not have: left out",
                 naming->unmapped, images->len);
  if (n == 0)
    return sl_error_bad_input (error, "%s: none of its %u images is left", naming->ingest->files[0],
                               images->len);
  g_ptr_array_set_size (images, (gint) n);
  return TRUE;
}

static void
settle_classes (Naming *naming, GPtrArray *images)
{
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (naming->names) + 1);
  naming->ingest->classes = sl_classes_sorted (naming->names, place);
  for (guint i = 0; i < images->len; i++)
    {
      SlImage *image = images->pdata[i];
      image->gold = image->gold >= 0 ? place[image->gold] : -1;
    }
}

/* Finds the item and class of each of IMAGES, and leaves out those that --pattern or --class-map do
 * not know. */
static gboolean
find_names (SlIngest *ingest, GPtrArray *images, gboolean *gold, GError **error)
{
  const SlIngestOptions *options = ingest->options;
  Naming naming = { .ingest = ingest };
  g_autoptr (GRegex) pattern
      = options->pattern != NULL ? sl_image_pattern (options->pattern, error) : NULL;
  g_autoptr (GHashTable) map = NULL;
  if ((options->pattern != NULL && pattern == NULL)
      || (options->class_map != NULL
          && (map = read_map (ingest->run, options->class_map, error)) == NULL))
    return FALSE;
  g_autoptr (SlIntern) names
      = ingest->classes != NULL ? sl_classes_intern (ingest->classes) : sl_intern_new ();
  naming.pattern = pattern;
  naming.map = map;
  naming.names = names;
  if (!name_all (&naming, images, gold, error))
    return FALSE;
  if (ingest->classes == NULL && *gold)
    settle_classes (&naming, images);
  return TRUE;
}

static void
image_free (gpointer data)
{
  SlImage *image = data;
  g_free (image->path);
  g_free (image->item);
  g_free (image->wrong);
  g_free (image);
}

static gboolean
add_image (SlIngest *ingest, GPtrArray *images, char *path, gsize skip, gboolean named,
           GError **error)
{
  SlImage *image = g_new0 (SlImage, 1);
  image->path = path;
  image->below = path + skip;
  image->named = named;
  image->gold = -1;
  g_ptr_array_add (images, image);
  return sl_run_claim (ingest->run, sizeof *image + 3 * strlen (path) + 64, "a list of images",
                       error);
}

static gboolean
add_folder (SlIngest *ingest, GPtrArray *images, const char *folder, SlOtherFiles *others,
            GError **error)
{
  gsize skip;
  g_autoptr (GPtrArray) paths = sl_image_paths (ingest->run, folder, &skip, others, error);
  for (guint i = 0; paths != NULL && i < paths->len; i++)
    if (!add_image (ingest, images, g_strdup (paths->pdata[i]), skip, FALSE, error))
      return FALSE;
  return paths != NULL;
}

static gboolean
gather_all (SlIngest *ingest, GPtrArray *images, SlOtherFiles *others, GError **error)
{
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      const char *file = ingest->files[i];
      if (strcmp (file, "-") == 0)
        return sl_error_usage (
            error,
            "images are read from folders and files that are named, not from standard input");
      if (!(g_file_test (file, G_FILE_TEST_IS_DIR)
                ? add_folder (ingest, images, file, others, error)
                : add_image (ingest, images, g_strdup (file), 0, TRUE, error)))
        return FALSE;
    }
  return TRUE;
}

GPtrArray *
sl_image_list (SlIngest *ingest, gboolean *gold, GError **error)
{
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (image_free);
  SlOtherFiles others = { 0 };
  gboolean ok = gather_all (ingest, images, &others, error);
  g_autofree char *other = others.other;
  if (!ok)
    return NULL;
  sl_image_paths_tell (ingest->run, &others);
  return find_names (ingest, images, gold, error) ? g_steal_pointer (&images) : NULL;
}
