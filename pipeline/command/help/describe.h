/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verbs are, for other programs: made from the command table, as help is. */
#pragma once

#include <glib.h>

void sl_describe_verbs (GString *out); /* for readers: a line each, with what it reads and writes */
void sl_describe_json (GString *out);
