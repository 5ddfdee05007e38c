/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table's history (provenance.h) as a pipeline for bash:
 *
 *     # votes.csv: 24,315 bytes, XXH3 0123456789abcdef
 *     softlabel ingest --from long votes.csv \
 *       | softlabel aggregate --method mean
 *
 * Tables that a stage read beside the one on its standard input are made by pipelines of their own,
 * in <( ... ). The history may come from anyone, so every word is quoted and nothing in it can end
 * a comment. */
#pragma once

#include "pipeline/base/json-value.h"

/* FULL: with the options that are at their defaults. */
gboolean sl_history_append (GString *out, SlJson history, gboolean full, GError **error);
