/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Image files and sizes: weights of the triangle filter by hand; JPEG written here and read back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/ingest/features/image-file.h"
#include "stages/ingest/features/image-resize.h"

#include <stdio.h>

#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>

/* Halving: a pixel in the middle is 1/8, 3/8, 3/8, 1/8 of four; one at the edge, of which a part of
 * the filter lies outside, 3/7, 3/7, 1/7 of three. */
static void
halved (void **state)
{
  (void) state;
  static const guint8 from[6] = { 0, 10, 20, 30, 40, 56 };
  guint8 work[3], to[3];
  sl_image_resize (from, 6, 1, 1, work, to, 3, 1);
  assert_int_equal (to[0], 7);  /* 30/7 + 20/7 */
  assert_int_equal (to[1], 25); /* 10/8 + 60/8 + 90/8 + 40/8 */
  assert_int_equal (to[2], 45); /* 30/7 + 120/7 + 168/7 = 45.4 */
}

/* Both ways, and channels apart. */
static void
halved_in_both_directions (void **state)
{
  (void) state;
  guint8 from[4 * 6 * 2], work[4 * 3 * 2], to[2 * 3 * 2];
  for (int i = 0; i < 24; i++)
    {
      from[2 * i] = (guint8) (10 * i);
      from[2 * i + 1] = 7;
    }
  static const guint8 expected[6] = { 50, 68, 86, 144, 162, 180 };
  sl_image_resize (from, 6, 4, 2, work, to, 3, 2);
  for (int i = 0; i < 6; i++)
    {
      assert_int_equal (to[2 * i], expected[i]);
      assert_int_equal (to[2 * i + 1], 7);
    }
}

/* Doubling: 1/4 and 3/4 of two neighbours; the edges are themselves. */
static void
doubled (void **state)
{
  (void) state;
  static const guint8 from[2] = { 0, 100 }, expected[4] = { 0, 25, 75, 100 };
  guint8 work[4], to[4];
  sl_image_resize (from, 2, 1, 1, work, to, 4, 1);
  assert_memory_equal (to, expected, 4);
  sl_image_resize (from, 1, 2, 1, work, to, 1, 4);
  assert_memory_equal (to, expected, 4);
}

static void
same_size (void **state)
{
  (void) state;
  guint8 from[75], work[75], to[75];
  for (int i = 0; i < 75; i++)
    from[i] = (guint8) (i * 37);
  sl_image_resize (from, 5, 5, 3, work, to, 5, 5);
  assert_memory_equal (to, from, sizeof from);
}

/* One colour everywhere, which JPEG keeps within a level or two. */
static guint8 *
write_jpeg (int width, int height, int channels, unsigned long *n)
{
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  static const guint8 colour[3] = { 200, 100, 50 };
  guint8 *bytes = NULL;
  g_autofree guint8 *row = g_malloc ((gsize) (width * channels));
  for (int i = 0; i < width * channels; i++)
    row[i] = colour[i % channels];
  *n = 0;
  jpeg.err = jpeg_std_error (&errors);
  jpeg_create_compress (&jpeg);
  jpeg_mem_dest (&jpeg, &bytes, n);
  jpeg.image_width = (JDIMENSION) width;
  jpeg.image_height = (JDIMENSION) height;
  jpeg.input_components = channels;
  jpeg.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults (&jpeg);
  jpeg_set_quality (&jpeg, 100, TRUE);
  jpeg_start_compress (&jpeg, TRUE);
  for (int y = 0; y < height; y++)
    (void) jpeg_write_scanlines (&jpeg, &row, 1);
  jpeg_finish_compress (&jpeg);
  jpeg_destroy_compress (&jpeg);
  return bytes;
}

static void
jpeg_files (void **state)
{
  (void) state;
  for (int channels = 1; channels <= 3; channels += 2)
    {
      unsigned long n;
      guint8 *bytes = write_jpeg (9, 7, channels, &n), pixels[9 * 7 * 3];
      gint32 width, height;
      int has;
      assert_int_equal (sl_image_format (bytes, n), SL_IMAGE_JPEG);
      assert_true (sl_image_size (bytes, n, &width, &height, &has, NULL));
      assert_int_equal (width, 9);
      assert_int_equal (height, 7);
      assert_int_equal (has, channels);
      assert_true (sl_image_read (bytes, n, 3, pixels, NULL));
      for (int i = 0; i < 9 * 7 * 3; i++)
        {
          int wanted = channels == 1 ? 200 : i % 3 == 0 ? 200 : i % 3 == 1 ? 100 : 50;
          assert_in_range (pixels[i], wanted - 2, wanted + 2);
        }
      /* Grey by BT.601: 0.299 x 200 + 0.587 x 100 + 0.114 x 50 = 124.2. */
      assert_true (sl_image_read (bytes, n, 1, pixels, NULL));
      assert_in_range (pixels[10], channels == 1 ? 198 : 122, channels == 1 ? 202 : 126);
      /* Every beginning of it is refused. */
      for (unsigned long cut = 0; cut + 2 < n; cut += 1 + cut / 16)
        {
          g_autofree guint8 *head = g_memdup2 (bytes, MAX (cut, 1));
          g_autoptr (GError) error = NULL;
          assert_false (sl_image_read (head, cut, 3, pixels, &error));
          assert_non_null (error);
        }
      free (bytes);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (halved),     cmocka_unit_test (halved_in_both_directions),
    cmocka_unit_test (doubled),    cmocka_unit_test (same_size),
    cmocka_unit_test (jpeg_files),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
