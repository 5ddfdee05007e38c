/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The page's style sheet. */
extern const char sl_style[];
