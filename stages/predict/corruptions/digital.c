/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs do to pictures. */
#include "corruption.h"

#include "filters.h"

#include "pipeline/base/process/shortage.h"

#include <stdio.h>

#include <jpeglib.h>
#include <math.h>
#include <stdlib.h>

/* Rows of N pixels become M by a box filter, of which the result is rounded, as Pillow does it;
 * lines are so many, LINE apart, and pixels STEP apart. */
static void
resize_box (const double *from, int n, int m, gsize step, int n_lines, gsize line, double *to,
            gsize to_step, gsize to_line)
{
  double scale = (double) n / m, reach = 0.5 * MAX (scale, 1);
  for (int i = 0; i < m; i++)
    {
      double middle = (i + 0.5) * scale;
      int first = MAX ((int) (middle - reach + 0.5), 0),
          end = MIN ((int) (middle + reach + 0.5), n);
      for (int l = 0; l < n_lines; l++)
        {
          double sum = 0;
          int count = 0;
          for (int j = first; j < end; j++)
            {
              double place = (j - middle + 0.5) / MAX (scale, 1);
              if (place <= -0.5 || place > 0.5)
                continue;
              sum += from[(gsize) l * line + (gsize) j * step];
              count++;
            }
          to[(gsize) l * to_line + (gsize) i * to_step]
              = floor (sum / count * 255 + 0.5 + 1e-9) / 255;
        }
    }
}

/* Smaller by a share c, and as large again. */
void
sl_corrupt_pixelate (SlPicture *picture)
{
  static const double c[] = { 0.95, 0.9, 0.85, 0.75, 0.65 };
  int height = picture->height, width = picture->width;
  int rows = MAX ((int) (height * c[picture->severity - 1]), 1),
      columns = MAX ((int) (width * c[picture->severity - 1]), 1);
  double *work = picture->room, *small = picture->room + sl_picture_plane (picture);
  for (int k = 0; k < picture->channels; k++)
    {
      double *plane = picture->x + (gsize) k * sl_picture_plane (picture);
      gsize w = (gsize) width, few = (gsize) columns;
      resize_box (plane, width, columns, 1, height, w, work, 1, few);
      resize_box (work, height, rows, few, columns, 1, small, few, 1);
      resize_box (small, columns, width, 1, rows, few, work, 1, w);
      resize_box (work, rows, height, w, width, 1, plane, w, 1);
    }
}

static void
set_up (struct jpeg_compress_struct *jpeg, const SlPicture *picture, int quality)
{
  jpeg->image_width = (JDIMENSION) picture->width;
  jpeg->image_height = (JDIMENSION) picture->height;
  jpeg->input_components = picture->channels;
  jpeg->in_color_space = picture->channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults (jpeg);
  jpeg_set_quality (jpeg, quality, TRUE);
  jpeg->dct_method = JDCT_ISLOW;
}

/* The bytes of a row of PICTURE, or its numbers from them. */
static void
move_row (const SlPicture *picture, int y, gboolean out, guint8 *row)
{
  for (int x = 0; x < picture->width; x++)
    for (int c = 0; c < picture->channels; c++)
      {
        double *number
            = &picture
                   ->x[(gsize) c * sl_picture_plane (picture) + (gsize) (y * picture->width + x)];
        guint8 *byte = &row[x * picture->channels + c];
        if (out)
          *byte = (guint8) rint (*number * 255);
        else
          *number = *byte / 255.0;
      }
}

/* Nothing but memory can be short: the library reads what it has just written. */
static void
end_for_memory (j_common_ptr jpeg)
{
  sl_shortage_end ("not enough memory");
}

/* JPEG and back. */
void
sl_corrupt_jpeg_compression (SlPicture *picture)
{
  static const int quality[] = { 80, 65, 58, 50, 40 };
  struct jpeg_error_mgr errors;
  struct jpeg_compress_struct in = { 0 };
  struct jpeg_decompress_struct out = { 0 };
  guint8 *bytes = NULL, *row = (guint8 *) picture->room;
  unsigned long n = 0;
  in.err = out.err = jpeg_std_error (&errors);
  errors.error_exit = end_for_memory;
  jpeg_create_compress (&in);
  jpeg_mem_dest (&in, &bytes, &n);
  set_up (&in, picture, quality[picture->severity - 1]);
  jpeg_start_compress (&in, TRUE);
  for (int y = 0; y < picture->height; y++)
    {
      move_row (picture, y, TRUE, row);
      (void) jpeg_write_scanlines (&in, &row, 1);
    }
  jpeg_finish_compress (&in);
  jpeg_destroy_compress (&in);
  jpeg_create_decompress (&out);
  jpeg_mem_src (&out, bytes, n);
  (void) jpeg_read_header (&out, TRUE);
  out.dct_method = JDCT_ISLOW;
  jpeg_start_decompress (&out);
  for (int y = 0; y < picture->height; y++)
    {
      (void) jpeg_read_scanlines (&out, &row, 1);
      move_row (picture, y, FALSE, row);
    }
  (void) jpeg_finish_decompress (&out);
  jpeg_destroy_decompress (&out);
  free (bytes);
}

/* Where a pixel comes from: x = m[0] X + m[1] Y + m[2], y = m[3] X + m[4] Y + m[5]. */
typedef struct
{
  double m[6];
} Affine;

/* The map that takes three points that were moved, to[i], back to from[i]. Points are (x, y). */
static Affine
affine_back (double from[3][2], double to[3][2])
{
  double ax = to[1][0] - to[0][0], ay = to[1][1] - to[0][1], bx = to[2][0] - to[0][0],
         by = to[2][1] - to[0][1], det = ax * by - bx * ay;
  Affine affine = { { 1, 0, 0, 0, 1, 0 } };
  if (fabs (det) < 1e-9)
    return affine;
  for (int k = 0; k < 2; k++)
    {
      double a = from[1][k] - from[0][k], b = from[2][k] - from[0][k];
      double x = (a * by - b * ay) / det, y = (b * ax - a * bx) / det;
      affine.m[3 * k] = x;
      affine.m[3 * k + 1] = y;
      affine.m[3 * k + 2] = from[0][k] - x * to[0][0] - y * to[0][1];
    }
  return affine;
}

static double
draw (SlPicture *picture, double most)
{
  return most * (2 * sl_random_unit (&picture->random) - 1);
}

/* A random affine map by three points of a square in the middle, each moved by up to REACH. */
static Affine
draw_affine (SlPicture *picture, double reach)
{
  int middle[2] = { picture->height / 2, picture->width / 2 };
  int side = MIN (picture->height, picture->width) / 3;
  double from[3][2] = { { middle[0] + side, middle[1] + side },
                        { middle[0] + side, middle[1] - side },
                        { middle[0] - side, middle[1] - side } },
         to[3][2];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      to[i][k] = from[i][k] + draw (picture, reach);
  return affine_back (from, to);
}

/* A random affine map, then each pixel from near by: displacements are smoothed noise, times alpha.
 */
void
sl_corrupt_elastic_transform (SlPicture *picture)
{
  static const double c[][3] = { { 0, 0, 0.08 },
                                 { 0.05, 0.2, 0.07 },
                                 { 0.08, 0.06, 0.06 },
                                 { 0.1, 0.04, 0.05 },
                                 { 0.1, 0.03, 0.03 } };
  int height = picture->height, width = picture->width, size = MIN (height, width);
  double alpha = size * c[picture->severity - 1][0], sigma = size * c[picture->severity - 1][1];
  gsize n = sl_picture_plane (picture);
  double *dx = picture->room, *dy = dx + n, *moved = dy + n;
  Affine affine = draw_affine (picture, size * c[picture->severity - 1][2]);
  const double *m = affine.m;
  for (gsize i = 0; i < 2 * n; i++)
    dx[i] = draw (picture, 1);
  sl_gaussian (dx, height, width, sigma, 3, SL_EDGE_REFLECT, moved);
  sl_gaussian (dy, height, width, sigma, 3, SL_EDGE_REFLECT, moved);
  for (int k = 0; k < picture->channels; k++)
    {
      double *plane = picture->x + (gsize) k * n;
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          moved[y * width + x] = sl_bilinear (plane, height, width, m[3] * x + m[4] * y + m[5],
                                              m[0] * x + m[1] * y + m[2], SL_EDGE_REFLECT101);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          plane[y * width + x] = sl_bilinear (moved, height, width, y + alpha * dy[y * width + x],
                                              x + alpha * dx[y * width + x], SL_EDGE_REFLECT);
    }
}
