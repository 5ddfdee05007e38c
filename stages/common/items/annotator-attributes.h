/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of annotators as a model takes them, from tables' columns. */
#pragma once

#include "row-tags.h"
#include "stages/common/losses/attributes.h"

/* Those of TAGS, of ANNOTATORS. */
void sl_annotator_attributes_take (SlAnnotatorAttributes *attributes, const SlAnnotatorTags *tags,
                                   const SlIntern *annotators);

/* The stranger becomes the one who is called NAME in TAGS. FALSE: nothing is known of them. */
gboolean sl_annotator_attributes_meet (SlAnnotatorAttributes *attributes,
                                       const SlAnnotatorTags *tags, const char *name, gsize length);
