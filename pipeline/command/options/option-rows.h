/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of option tables, one macro a kind. A file that has a table defines OPTIONS, the struct
 * whose members are filled in; that a member has its option's type is checked at compile time. What
 * follows the help are further members of SlOption: what the option goes with, and the like. */
#pragma once

#include "option.h"

/* A member that has not this TYPE makes the array's length negative. */
#define SL_OPTION_ROW(k, type, n, f, h, ...)                                                       \
  {                                                                                                \
    .name = n, .kind = SL_OPTION_##k, .help = h,                                                   \
    .field = offsetof (OPTIONS, f)                                                                 \
             + 0                                                                                   \
                   * sizeof (                                                                      \
                       char[__builtin_types_compatible_p (type, __typeof__ (((OPTIONS *) 0)->f))   \
                                ? 1                                                                \
                                : -1]),                                                            \
    __VA_ARGS__                                                                                    \
  }
#define FLAG(name, member, help, ...)                                                              \
  SL_OPTION_ROW (FLAG, gboolean, name, member, help, __VA_ARGS__)
#define CHOICE(name, member, names, help, ...)                                                     \
  SL_OPTION_ROW (CHOICE, int, name, member, help, .choices = names, __VA_ARGS__)
#define WHOLE(name, member, lo, hi, value, help, ...)                                              \
  SL_OPTION_ROW (INTEGER, gint64, name, member, help, .min = lo, .max = hi, .placeholder = value,  \
                 __VA_ARGS__)
#define REAL(name, member, lo, hi, value, help, ...)                                               \
  SL_OPTION_ROW (REAL, double, name, member, help, .min = lo, .max = hi, .placeholder = value,     \
                 __VA_ARGS__)
#define VALUE(kind, type, name, member, value, help, ...)                                          \
  SL_OPTION_ROW (kind, type, name, member, help, .placeholder = value, __VA_ARGS__)
#define SIZE(...) VALUE (SIZE, gint64, __VA_ARGS__)
#define TEXT(...) VALUE (TEXT, char *, __VA_ARGS__)
#define TEXTS(...) VALUE (TEXTS, char **, __VA_ARGS__)
#define INPUT(...) VALUE (INPUT, char *, __VA_ARGS__)
#define INPUTS(...) VALUE (INPUTS, char **, __VA_ARGS__)
#define OUTPUT(...) VALUE (OUTPUT, char *, __VA_ARGS__)
/* The choices of CHOICE, or what a text may be. */
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
