/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table says of itself in its schema's metadata. */
#pragma once

#define SL_KEY_KIND "softlabel.table"
#define SL_KEY_CLASSES "softlabel.classes"
#define SL_KEY_PROVENANCE "softlabel.provenance"
#define SL_KEY_VALUES "softlabel.values"
#define SL_KEY_TAGS "softlabel.tags"
