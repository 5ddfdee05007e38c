/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that needs no other file to run. */
int
main (void)
{
  return 0;
}
