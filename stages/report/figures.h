/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a page as files of their own, for papers and slides: each has its colours and the
 * names of its fonts inside, and what colours stand for below it. */
#pragma once

#include "page.h"
#include "pipeline/files/folder.h"

/* The width of pages whose plots fill two columns of a paper, as those of SL_PAGE_WIDTH fill one:
 * texts are as large in both. */
#define SL_TWO_COLUMNS 736.0

/* What pictures are written as; PDF once sl_pdf_load() has gone well. */
typedef enum
{
  SL_FIGURES_SVG,
  SL_FIGURES_PDF,
  SL_FIGURES_BOTH,
  SL_FIGURES_AUTO, /* of the option alone: both, or, where PDF cannot be made, SVG */
} SlFiguresAs;

/* Writes PAGE's pictures into FOLDER by the names of their section, heading and title; of a page of
 * SL_TWO_COLUMNS those that are so wide, as "-wide". Returns how many, or -1 and ERROR. */
int sl_figures_write (SlFolder *folder, const SlPage *page, SlFiguresAs as, GError **error);
