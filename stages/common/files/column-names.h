/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers under which files of other programs have what every table has, in small letters and
 * digits, as SlColumnRole wants them. */
#pragma once

#define SL_NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#define SL_ITEM_NAMES                                                                              \
  "item", "task", "question", "example", "image", "img", "sample", "instance", "document", "doc",  \
      "unit", "object", "stimulus"

/* Where nothing better is there. A text says which item it is even where "id" numbers the rows. */
#define SL_ITEM_FALLBACK "filename", "file", "url", "sentence", "text", "id"

#define SL_ANNOTATOR_NAMES                                                                         \
  "annotator", "worker", "user", "rater", "coder", "labeler", "labeller", "participant",           \
      "subject", "performer", "judge", "turker"

#define SL_ANNOTATOR_FALLBACK                                                                      \
  "completedby", "respondent", "assessor", "reviewer", "evaluator", "person", "handle",            \
      "username", "email", "prolific", "prolificp", "model", "llm"

#define SL_CLASS_NAMES                                                                             \
  "class", "label", "answer", "response", "category", "vote", "annotation", "choice", "judgment",  \
      "judgement", "rating", "verdict"
