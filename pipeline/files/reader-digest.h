/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether what a reader has read had digests (digest-chain.h, file-seal.h), to be asked at the
 * table's end. A table that has some is checked as it is read: damage is an error. */
#pragma once

#include "reader.h"

gboolean sl_reader_is_digested (SlReader *reader);
