/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that softlabel itself would not write, as a file that it reads; for tests. */
#pragma once

#include "pipeline/files/reader.h"
#include "pipeline/files/writer.h"
#include "arrays.h"

#include <glib/gstdio.h>

static char *path;

static int
setup (void **state)
{
  (void) state;
  int fd = g_file_open_tmp ("softlabel-XXXXXX.arrows", &path, NULL);
  return fd >= 0 && g_close (fd, NULL) ? 0 : 1;
}

static int
teardown (void **state)
{
  (void) state;
  int failed = g_unlink (path);
  g_clear_pointer (&path, g_free);
  return failed;
}

static SlReader *
reader_of (SlBuilder *builder, SlTable *table)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlWriter) writer = sl_writer_new (path, SL_FORMAT_AUTO, 1, &error);
  if (writer == NULL || !sl_writer_start (writer, table, &error)
      || !sl_writer_write_built (writer, builder, TRUE, &error)
      || !sl_writer_finish (writer, &error) || !sl_writer_commit (writer, &error))
    fail_msg ("%s", error->message);
  SlReader *reader = sl_reader_open (path, &(SlReaderOptions){ .threads = 1 }, &error);
  if (reader == NULL)
    fail_msg ("%s", error->message);
  return reader;
}
