/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG by ISO/IEC 15948, JPEG by ITU-T T.81, the orientation by Exif 2.3. Both libraries come back
 * from an error by longjmp(): what they are called from allocates nothing that GLib would have to
 * free. */
#include "image-file.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/shortage.h"

/* jpeglib.h does not include what it needs. */
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

#define MESSAGE_CHARS 256

static gboolean
fail (GError **error, const char *what)
{
  return sl_error_bad_input (error, "%s", what);
}

/* What a library said, in one line of plain text. */
static gboolean
fail_damaged (GError **error, char *message)
{
  g_strcanon (message, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS " .,:;-_+=<>()", '?');
  return sl_error_bad_input (error, "is damaged, or cut short (%s)", message);
}

SlImageFormat
sl_image_format (const guint8 *bytes, gsize n)
{
  if (n >= 8 && memcmp (bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
    return SL_IMAGE_PNG;
  return n >= 3 && memcmp (bytes, "\xff\xd8\xff", 3) == 0 ? SL_IMAGE_JPEG : SL_IMAGE_OTHER;
}

static guint32
big_endian (const guint8 *bytes, int n)
{
  guint32 value = 0;
  for (int i = 0; i < n; i++)
    value = value << 8 | bytes[i];
  return value;
}

/* Grey from colour, rounded: 0.299 red + 0.587 green + 0.114 blue. */
static void
make_grey (const guint8 *colours, gint32 n, guint8 *grey)
{
  for (gint32 i = 0; i < n; i++, colours += 3)
    grey[i] = (guint8) ((colours[0] * 19595u + colours[1] * 38470u + colours[2] * 7471u + 0x8000u)
                        >> 16);
}

static void
make_colours (const guint8 *grey, gint32 n, guint8 *colours)
{
  for (gint32 i = 0; i < n; i++)
    colours[3 * i] = colours[3 * i + 1] = colours[3 * i + 2] = grey[i];
}

/* PNG. */

typedef struct
{
  const guint8 *at, *end;
  jmp_buf back;
  char message[MESSAGE_CHARS];
} PngFile;

static void
png_fail (png_structp png, png_const_charp message)
{
  PngFile *file = png_get_error_ptr (png);
  g_strlcpy (file->message, message, sizeof file->message);
  longjmp (file->back, 1);
}

static void
png_ignore (png_structp png, png_const_charp message)
{
}

static void
png_take (png_structp png, png_bytep to, size_t n)
{
  PngFile *file = png_get_io_ptr (png);
  if (n > (gsize) (file->end - file->at))
    png_error (png, "it ends too early");
  memcpy (to, file->at, n);
  file->at += n;
}

/* Rows of 1 or 3 channels of 8 bits, as the file has colours or not. */
static int
png_prepare (png_structp png, png_infop info)
{
  png_set_user_limits (png, SL_IMAGE_PIXELS, SL_IMAGE_PIXELS);
  png_set_chunk_malloc_max (png, 1 << 24);
  png_read_info (png, info);
  png_set_expand (png);
  png_set_strip_16 (png);
  png_set_strip_alpha (png);
  (void) png_set_interlace_handling (png);
  png_read_update_info (png, info);
  return png_get_channels (png, info);
}

/* ROWS and SPARE are room for one pointer a row and for a whole image of three channels. */
static gboolean
png_read (PngFile *file, gint32 width, gint32 height, int channels, guint8 *pixels, guint8 *spare,
          guint8 **rows)
{
  png_structp volatile png
      = png_create_read_struct (PNG_LIBPNG_VER_STRING, file, png_fail, png_ignore);
  png_infop volatile info = png != NULL ? png_create_info_struct (png) : NULL;
  volatile gboolean ok = FALSE;
  if (info == NULL)
    g_strlcpy (file->message, "there is no memory for it", sizeof file->message);
  else if (setjmp (file->back) == 0)
    {
      png_set_read_fn (png, file, png_take);
      int has = png_prepare (png, info);
      if (png_get_image_width (png, info) != (png_uint_32) width
          || png_get_image_height (png, info) != (png_uint_32) height || (has != 1 && has != 3)
          || png_get_rowbytes (png, info) != (gsize) width * (gsize) has)
        png_error (png, "its header says two things");
      guint8 *to = has == channels ? pixels : spare;
      for (gint32 y = 0; y < height; y++)
        rows[y] = to + (gsize) y * (gsize) width * (gsize) has;
      png_read_image (png, rows);
      png_read_end (png, NULL);
      if (has > channels)
        make_grey (spare, width * height, pixels);
      else if (has < channels)
        make_colours (spare, width * height, pixels);
      ok = TRUE;
    }
  png_structp done = png;
  png_infop done_info = info;
  png_destroy_read_struct (&done, &done_info, NULL);
  return ok;
}

static gboolean
read_png (const guint8 *bytes, gsize n, gint32 width, gint32 height, int channels, guint8 *pixels,
          GError **error)
{
  PngFile file = { .at = bytes, .end = bytes + n };
  g_autofree guint8 *spare = sl_memory_try0 ((gsize) width * (gsize) height, 3);
  g_autofree guint8 **rows = sl_memory_try0 ((gsize) height, sizeof (guint8 *));
  if (spare == NULL || rows == NULL)
    return sl_error_runtime (error, "there is no memory for its pixels");
  return png_read (&file, width, height, channels, pixels, spare, rows)
         || fail_damaged (error, file.message);
}

/* The first chunk is IHDR: width, height, bits of a channel, and the type of colours: 0 and 4 are
 * grey. */
static gboolean
png_size (const guint8 *bytes, gsize n, gint64 *width, gint64 *height, int *channels)
{
  if (n < 26 || memcmp (bytes + 12, "IHDR", 4) != 0)
    return FALSE;
  *width = big_endian (bytes + 16, 4);
  *height = big_endian (bytes + 20, 4);
  *channels = bytes[25] == 0 || bytes[25] == 4 ? 1 : 3;
  return TRUE;
}

/* JPEG. */

typedef struct
{
  /* first, so that the library's pointer to it is one to all of this */
  struct jpeg_error_mgr manager;
  jmp_buf back;
  char message[MAX (MESSAGE_CHARS, JMSG_LENGTH_MAX)];
} JpegFile;

static void
jpeg_fail (j_common_ptr jpeg)
{
  JpegFile *file = (JpegFile *) jpeg->err;
  jpeg->err->format_message (jpeg, file->message);
  longjmp (file->back, 1);
}

/* The library goes on with grey where data lack; that is an error here. Bytes that mean nothing
 * between two markers do no harm. */
static void
jpeg_warn (j_common_ptr jpeg, int level)
{
  int code = jpeg->err->msg_code;
  if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR
      && code != JWRN_ADOBE_XFORM)
    jpeg_fail (jpeg);
}

/* ROW is room for a row of three channels. */
static void
jpeg_rows (struct jpeg_decompress_struct *jpeg, gint32 width, int channels, guint8 *pixels,
           guint8 *row)
{
  int has = jpeg->output_components;
  for (gint32 y = 0; jpeg->output_scanline < jpeg->output_height; y++)
    {
      guint8 *to = pixels + (gsize) y * (gsize) width * (gsize) channels;
      guint8 *line = has == channels ? to : row;
      (void) jpeg_read_scanlines (jpeg, &line, 1);
      if (has > channels)
        make_grey (row, width, to);
      else if (has < channels)
        make_colours (row, width, to);
    }
}

static gboolean
jpeg_read (JpegFile *file, const guint8 *bytes, gsize n, gint32 width, gint32 height, int channels,
           guint8 *pixels, guint8 *row)
{
  struct jpeg_decompress_struct jpeg = { 0 };
  volatile gboolean ok = FALSE;
  jpeg.err = jpeg_std_error (&file->manager);
  file->manager.error_exit = jpeg_fail;
  file->manager.emit_message = jpeg_warn;
  if (setjmp (file->back) == 0)
    {
      jpeg_create_decompress (&jpeg);
      jpeg_mem_src (&jpeg, (guint8 *) bytes, n);
      (void) jpeg_read_header (&jpeg, TRUE);
      /* The way that gives the same pixels on every processor. */
      jpeg.dct_method = JDCT_ISLOW;
      jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_start_decompress (&jpeg);
      if (jpeg.output_width != (JDIMENSION) width || jpeg.output_height != (JDIMENSION) height
          || (jpeg.output_components != 1 && jpeg.output_components != 3))
        ERREXIT (&jpeg, JERR_CONVERSION_NOTIMPL);
      jpeg_rows (&jpeg, width, channels, pixels, row);
      (void) jpeg_finish_decompress (&jpeg);
      ok = TRUE;
    }
  jpeg_destroy_decompress (&jpeg);
  return ok;
}

static gboolean
read_jpeg (const guint8 *bytes, gsize n, gint32 width, gint32 height, int channels, guint8 *pixels,
           GError **error)
{
  JpegFile file;
  g_autofree guint8 *row = g_malloc ((gsize) width * 3);
  return jpeg_read (&file, bytes, n, width, height, channels, pixels, row)
         || fail_damaged (error, file.message);
}

/* A frame header, SOF0 to SOF15 but the three of other meaning, has precision, height, width and
 * components. */
static gboolean
jpeg_size (const guint8 *bytes, gsize n, gint64 *width, gint64 *height, int *channels)
{
  for (gsize at = 2; at + 4 <= n;)
    {
      guint8 marker = bytes[at + 1];
      if (bytes[at] != 0xff)
        return FALSE;
      if (marker == 0xff)
        {
          at++;
          continue;
        }
      if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc)
        {
          if (at + 10 > n)
            return FALSE;
          *height = big_endian (bytes + at + 5, 2);
          *width = big_endian (bytes + at + 7, 2);
          *channels = bytes[at + 9] == 1 ? 1 : 3;
          return TRUE;
        }
      gboolean alone = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
      at += alone ? 2 : 2 + big_endian (bytes + at + 2, 2);
    }
  return FALSE;
}

gboolean
sl_image_size (const guint8 *bytes, gsize n, gint32 *width, gint32 *height, int *channels,
               GError **error)
{
  gint64 w = 0, h = 0;
  SlImageFormat format = sl_image_format (bytes, n);
  if (format == SL_IMAGE_OTHER)
    return fail (error, "is neither PNG nor JPEG");
  if (!(format == SL_IMAGE_PNG ? png_size : jpeg_size) (bytes, n, &w, &h, channels))
    return fail (error, "is damaged, or cut short (it does not say how large the image is)");
  if (w < 1 || h < 1)
    return fail (error, "has no pixels");
  if (w > SL_IMAGE_PIXELS / h)
    return sl_error_bad_input (error,
                               "says that it is %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                               " pixels; at most %d million are read",
                               w, h, SL_IMAGE_PIXELS / 1000000);
  *width = (gint32) w;
  *height = (gint32) h;
  return TRUE;
}

gboolean
sl_image_read (const guint8 *bytes, gsize n, int channels, guint8 *pixels, GError **error)
{
  gint32 width, height;
  int has;
  if (!sl_image_size (bytes, n, &width, &height, &has, error))
    return FALSE;
  return sl_image_format (bytes, n) == SL_IMAGE_PNG
             ? read_png (bytes, n, width, height, channels, pixels, error)
             : read_jpeg (bytes, n, width, height, channels, pixels, error);
}

#define ORIENTATION 0x0112

static guint32
number (const guint8 *bytes, int n, gboolean small_first)
{
  guint32 value = 0;
  for (int i = 0; i < n; i++)
    value = value << 8 | bytes[small_first ? n - 1 - i : i];
  return value;
}

static gboolean
is_one_of (const guint8 *type, const char *const *names)
{
  for (; *names != NULL; names++)
    if (memcmp (type, *names, 4) == 0)
      return TRUE;
  return FALSE;
}

/* Chunks whose first letter is small need not be understood; of those, these change the colours. */
static gboolean
strip_png (const guint8 *bytes, gsize n, GByteArray *out)
{
  static const char *const kept[] = { "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "pHYs", NULL };
  gsize at = 8;
  g_byte_array_append (out, bytes, 8);
  while (at + 12 <= n)
    {
      gsize length = number (bytes + at, 4, FALSE);
      const guint8 *type = bytes + at + 4;
      if (length > n - at - 12)
        return FALSE;
      if ((type[0] & 0x20) == 0 || is_one_of (type, kept))
        g_byte_array_append (out, bytes + at, (guint) (length + 12));
      at += length + 12;
      if (memcmp (type, "IEND", 4) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Which side is up, 1 to 8, by an Exif segment; 1 where it does not say. */
static guint32
orientation_of (const guint8 *exif, gsize n)
{
  if (n < 14 || memcmp (exif, "Exif\0\0", 6) != 0)
    return 1;
  const guint8 *tiff = exif + 6;
  gboolean small = tiff[0] == 'I';
  gsize room = n - 6, at = number (tiff + 4, 4, small);
  if (at > room - 2 || room < 2)
    return 1;
  guint32 entries = number (tiff + at, 2, small);
  at += 2;
  for (guint32 i = 0; i < entries && at + 12 <= room; i++, at += 12)
    if (number (tiff + at, 2, small) == ORIENTATION)
      {
        guint32 value = number (tiff + at + 8, 2, small);
        return value >= 1 && value <= 8 ? value : 1;
      }
  return 1;
}

/* A segment that says nothing else. */
static void
add_orientation (GByteArray *out, guint32 orientation)
{
  const guint8 segment[36]
      = { 0xff, 0xe1, 0, 34, 'E', 'x',  'i',  'f', 0, 0, 'M', 'M', 0, 42, 0,
          0,    0,    8, 0,  1,   0x01, 0x12, 0,   3, 0, 0,   0,   1, 0,  (guint8) orientation,
          0,    0,    0, 0,  0,   0 };
  g_byte_array_append (out, segment, sizeof segment);
}

/* Where the marker behind a scan's data stands: there, 0xff is followed by 0, or says to begin
 * again. */
static gsize
end_of_scan (const guint8 *bytes, gsize n, gsize at)
{
  for (; at + 2 <= n; at++)
    if (bytes[at] == 0xff && bytes[at + 1] != 0 && bytes[at + 1] != 0xff
        && !(bytes[at + 1] >= 0xd0 && bytes[at + 1] <= 0xd7))
      return at;
  return n;
}

/* APP0 (JFIF), APP2 (a profile of colours) and APP14 (Adobe's colours) stay; comments and the other
 * APPn do not. */
static gboolean
is_metadata (guint8 marker)
{
  gboolean application = marker >= 0xe0 && marker <= 0xef;
  return marker == 0xfe || (application && marker != 0xe0 && marker != 0xe2 && marker != 0xee);
}

static gboolean
strip_jpeg (const guint8 *bytes, gsize n, GByteArray *out)
{
  gsize at = 2;
  g_byte_array_append (out, bytes, 2);
  while (at + 2 <= n && bytes[at] == 0xff)
    {
      guint8 marker = bytes[at + 1];
      if (marker == 0xff)
        {
          at++;
          continue;
        }
      if (marker == 0xd9)
        {
          g_byte_array_append (out, bytes + at, 2);
          return TRUE;
        }
      gsize length = at + 4 <= n ? number (bytes + at + 2, 2, FALSE) : 0;
      if (length < 2 || length > n - at - 2)
        return FALSE;
      guint32 orientation = marker == 0xe1 ? orientation_of (bytes + at + 4, length - 2) : 1;
      gsize end = at + 2 + length;
      end = marker == 0xda ? end_of_scan (bytes, n, end) : end;
      if (!is_metadata (marker))
        g_byte_array_append (out, bytes + at, (guint) (end - at));
      else if (orientation != 1)
        add_orientation (out, orientation);
      at = end;
    }
  return FALSE;
}

GByteArray *
sl_image_strip (const guint8 *bytes, gsize n, GError **error)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  SlImageFormat format = sl_image_format (bytes, n);
  if (format == SL_IMAGE_OTHER)
    {
      sl_error_bad_input (error, "is neither PNG nor JPEG");
      return NULL;
    }
  if (format == SL_IMAGE_PNG ? strip_png (bytes, n, out) : strip_jpeg (bytes, n, out))
    return g_steal_pointer (&out);
  sl_error_bad_input (error, "is damaged, or cut short");
  return NULL;
}

GByteArray *
sl_png_write (const guint8 *pixels, gint32 width, gint32 height, int channels, GError **error)
{
  png_image image = { .version = PNG_IMAGE_VERSION,
                      .width = (png_uint_32) width,
                      .height = (png_uint_32) height,
                      .format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY };
  png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX (image), n = room;
  GByteArray *out = g_byte_array_sized_new ((guint) room);
  g_byte_array_set_size (out, (guint) room);
  if (png_image_write_to_memory (&image, out->data, &n, 0, pixels, 0, NULL))
    {
      g_byte_array_set_size (out, (guint) n);
      return out;
    }
  sl_error_runtime (error, "a picture of %d x %d pixels cannot be made: %s", width, height,
                    image.message);
  png_image_free (&image);
  g_byte_array_unref (out);
  return NULL;
}
