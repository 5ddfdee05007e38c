/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters as a network begins. */
#pragma once

#include "description.h"

void sl_initialise (const SlDescription *d, SlParameter *parameters, guint64 seed);
