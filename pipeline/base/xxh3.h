/* SPDX-License-Identifier: GPL-3.0-or-later */
/* XXH3 (Yann Collet, https://xxhash.com), which finds accidents and is no defence against someone
 * who makes two texts with one digest. Where the library can, it takes the processor's widest
 * instructions: the digest is the same. */
#pragma once

#include <sl-features.h> /* what was found where this was configured */

#ifdef SL_XXH3_DISPATCH
#define XXH_STATIC_LINKING_ONLY /* for states on the stack */
#include <xxh_x86dispatch.h>
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif
