# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# To be sourced by tests that start softlabel thousands of times.
#
# begin_served SOFTLABEL FOLDER: from here on $served is a program that does what SOFTLABEL does, but is loaded once, by a process that ends
# with this shell and has its socket in FOLDER; or SOFTLABEL itself, where SOFTLABEL_SERVED names no such program.
begin_served() {
  served=$1
  [ -x "${SOFTLABEL_SERVED-}/serve" ] || return 0
  export SOFTLABEL_SOCKET=$2/socket SOFTLABEL_REAL=$1
  "$SOFTLABEL_SERVED/serve" "$SOFTLABEL_SOCKET" &
  disown $!
  until [ -S "$SOFTLABEL_SOCKET" ] || ! kill -0 $! 2> /dev/null; do sleep 0.01; done
  served=$SOFTLABEL_SERVED/softlabel
}
