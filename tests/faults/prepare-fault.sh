# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
#
# To be sourced after every-stage.sh, for runs of nth-call.

# Where the C library cannot read a locale it goes on in the one of C.
export LC_ALL=C

# A sanitizer wants to be the first library, but does without; it cannot look for leaks in what is traced.
[ -z "${SOFTLABEL_SANITIZED-}" ] || export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0

# no_tracing: whether a program cannot be traced here.
no_tracing() {
  mkdir -p "$scratch/trace/before" "$scratch/trace/after"
  ! (cd "$scratch/trace" && "$helpers/nth-call" read error=5 1 1 - /bin/true > out 2>&1)
}

# command_of ARGUMENT...: sets `command`; names of files in in/ become whole.
command_of() {
  local word
  command=("$softlabel")
  for word; do
    if [[ $word == --*=* ]] && [ -e "$scratch/in/${word#*=}" ]; then
      word=${word%%=*}=$scratch/in/${word#*=}
    elif [ -e "$scratch/in/$word" ] && [ "$word" != . ]; then
      word=$scratch/in/$word
    fi
    command+=("$word")
  done
}

# prepare OLD FORM KIND ARGUMENT...: the folders that nth-call needs, and `command`. With OLD there is a file at the target. FORM is one
# of a table's, or stream for standard output; other kinds have one form of their own, or stream.
prepare() {
  local old=$1 form=$2 kind=$3 target
  shift 3
  command_of "$@"
  case $kind in
    table) target=out.$form ;;
    bytes) target=model.safetensors ;;
    page) target=page.html ;;
    folder) target=study ;;
    text) form=stream ;;
  esac
  [ "$form" = stream ] || command+=(-o "$target")
  rm -rf before after wanted
  mkdir before
  if [ "$old" ] && [ "$form" != stream ]; then
    if [ $kind = folder ]; then
      (cd before && "${command[@]}" --seed 7) || return
    else
      echo old > "before/$target"
    fi
  fi
  cp -a before after
  (cd after && "${command[@]}") > wanted || return
}

# faults CALL FAULT FIRST SPREAD: counted
faults() {
  local said status
  said=$("$helpers/nth-call" "$@" "${input:--}" "${command[@]}")
  status=$?
  trials "$(sed -n 's/^\([0-9]*\) faults.*/\1/p' <<< "$said")"
  [ $status -eq 0 ] && return
  echo "$said"
  return 1
}
