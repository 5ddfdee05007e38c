/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker gave in a form of Crowd HTML Elements, which Mechanical Turk and Ground Truth show:
 * an object, {element: answer}. */
#pragma once

#include "pipeline/base/json-value.h"

G_BEGIN_DECLS

/* What is wrong with a form's ANSWERS; NULL if nothing is, as where there are none. */
const char *sl_form_wrong (SlJson answers);

/* The class in an element's answer: "cat", ["cat"], {"labels": ["cat"]}, {"label": "cat"} or
 * {"cat": true, "dog": false}. *N_CLASSES are there, of which this is the last. */
SlCell sl_form_class (SlJson answer, guint *n_classes, char room[SL_JSON_ROOM]);

G_END_DECLS
