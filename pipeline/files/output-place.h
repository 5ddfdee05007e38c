/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an output's bytes are while it is written. */
#pragma once

#include "output.h"

/* The descriptor, where they stay as they come: a pipe, standard output; -1 for a file that takes
 * its name only when all is written. */
int sl_output_in_place (SlOutput *output);
