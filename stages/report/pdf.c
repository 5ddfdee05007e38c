/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdf.h"

#include "pipeline/base/error.h"

#include <dlfcn.h>

typedef struct
{
  double x, y, width, height;
} Rectangle; /* RsvgRectangle */

typedef int Write (void *closure, const guint8 *bytes, unsigned n); /* cairo_write_func_t */

enum
{
  CAIRO_STATUS_SUCCESS = 0,
  CAIRO_PDF_METADATA_CREATE_DATE = 5,
};

/* X (its library's file, what it returns, the function, what it takes) */
#define FUNCTIONS(X)                                                                               \
  X ("libfontconfig.so.1", gpointer, FcConfigGetFontDirs, (gpointer))                              \
  X ("libfontconfig.so.1", const char *, FcStrListNext, (gpointer))                                \
  X ("libfontconfig.so.1", void, FcStrListDone, (gpointer))                                        \
  X ("libcairo.so.2", gpointer, cairo_pdf_surface_create_for_stream,                               \
     (Write *, gpointer, double, double) )                                                         \
  X ("libcairo.so.2", void, cairo_pdf_surface_set_metadata, (gpointer, int, const char *) )        \
  X ("libcairo.so.2", gpointer, cairo_create, (gpointer))                                          \
  X ("libcairo.so.2", void, cairo_destroy, (gpointer))                                             \
  X ("libcairo.so.2", void, cairo_surface_finish, (gpointer))                                      \
  X ("libcairo.so.2", int, cairo_surface_status, (gpointer))                                       \
  X ("libcairo.so.2", const char *, cairo_status_to_string, (int) )                                \
  X ("libcairo.so.2", void, cairo_surface_destroy, (gpointer))                                     \
  X ("librsvg-2.so.2", gpointer, rsvg_handle_new_from_data, (const guint8 *, gsize, GError **) )   \
  X ("librsvg-2.so.2", gboolean, rsvg_handle_render_document,                                      \
     (gpointer, gpointer, const Rectangle *, GError **) )

static struct
{
#define AS_MEMBER(file, type, name, takes) type (*name) takes;
  FUNCTIONS (AS_MEMBER)
  void (*g_object_unref) (gpointer); /* of the GObject that librsvg has */
} library;

static GPtrArray *folders; /* of char *, with a NULL at the end */

#ifdef __SANITIZE_ADDRESS__
/* The leak sanitizer asks this: fontconfig keeps what it loads once. A stage that is locked in
 * could not read a file that says so. */
const char *__lsan_default_suppressions (void); /* NOLINT(bugprone-reserved-identifier) */
const char *
__lsan_default_suppressions (void) /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:libfontconfig";
}
#endif

/* The function NAME of FILE, or NULL: dlerror() says why. */
static gpointer
find (const char *file, const char *name)
{
  gpointer handle = dlopen (file, RTLD_NOW | RTLD_LOCAL);
  return handle != NULL ? dlsym (handle, name) : NULL;
}

static gboolean
load_all (void)
{
#define AS_SEARCH(file, type, name, takes)                                                         \
  if ((library.name = (type (*) takes) find (file, #name)) == NULL)                                \
    return FALSE;
  FUNCTIONS (AS_SEARCH)
  library.g_object_unref = (void (*) (gpointer)) find ("librsvg-2.so.2", "g_object_unref");
  return library.g_object_unref != NULL;
}

gboolean
sl_pdf_load (const char *option, GError **error)
{
  if (folders != NULL)
    return TRUE;
  if (!load_all ())
    return sl_error_usage (error,
                           "%s: PDF is made by librsvg and cairo, which cannot be loaded (%s): "
                           "install librsvg (Debian: librsvg2-2), or have SVG alone",
                           option, dlerror ());
  folders = g_ptr_array_new_with_free_func (g_free);
  gpointer list = library.FcConfigGetFontDirs (NULL);
  for (const char *folder; list != NULL && (folder = library.FcStrListNext (list)) != NULL;)
    g_ptr_array_add (folders, g_strdup (folder));
  if (list != NULL)
    library.FcStrListDone (list);
  g_ptr_array_add (folders, NULL);
  return TRUE;
}

char *const *
sl_pdf_font_folders (void)
{
  return folders != NULL ? (char *const *) folders->pdata : NULL;
}

static int
append (void *closure, const guint8 *bytes, unsigned n)
{
  g_byte_array_append (closure, bytes, n);
  return CAIRO_STATUS_SUCCESS;
}

GByteArray *
sl_pdf_of_svg (const GString *svg, double width, double height, GError **error)
{
  g_autoptr (GByteArray) pdf = g_byte_array_new ();
  g_autoptr (GError) problem = NULL;
  gpointer picture
      = library.rsvg_handle_new_from_data ((const guint8 *) svg->str, svg->len, &problem);
  gpointer surface = library.cairo_pdf_surface_create_for_stream (append, pdf, width, height);
  gpointer pen = library.cairo_create (surface);
  /* A fixed date instead of the clock's, so that the bytes are the same each time. */
  library.cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                          "1970-01-01T00:00:00Z");
  if (picture != NULL)
    (void) library.rsvg_handle_render_document (picture, pen, &(Rectangle){ 0, 0, width, height },
                                                &problem);
  library.cairo_destroy (pen);
  library.cairo_surface_finish (surface);
  int status = library.cairo_surface_status (surface);
  library.cairo_surface_destroy (surface);
  if (picture != NULL)
    library.g_object_unref (picture);
  if (problem == NULL && status == CAIRO_STATUS_SUCCESS)
    return g_steal_pointer (&pdf);
  sl_error_runtime (error, "a figure cannot be made as PDF: %s",
                    problem != NULL ? problem->message : library.cairo_status_to_string (status));
  return NULL;
}
