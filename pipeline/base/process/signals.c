/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* A handler may read the list at any moment and in any thread. So entries are added in front and
 * never taken out or freed: an output leaves some hundred bytes. */
struct _SlTemporary
{
  SlTemporary *next;
  atomic_bool there;
  char *path;
};

/* So long a reader may take to make room for the end of a stream. */
#define SPOIL_MILLISECONDS 1000

static _Atomic (SlTemporary *) temporaries;
static atomic_bool stop_accepted;
static atomic_int stop_signal;

void
sl_temporaries_remove (void)
{
  for (const SlTemporary *entry = atomic_load (&temporaries); entry != NULL; entry = entry->next)
    if (atomic_load (&entry->there) && unlink (entry->path) != 0)
      (void) rmdir (entry->path);
}

/* Only what may be done in a handler of signals (signal-safety(7)). */
static void
on_signal (int number)
{
  int none = 0;
  if ((number == SIGINT || number == SIGTERM) && atomic_load (&stop_accepted)
      && atomic_compare_exchange_strong (&stop_signal, &none, number))
    return;
  gboolean stopped = sl_steps_stop (SPOIL_MILLISECONDS);
  sl_temporaries_remove ();
  if (stopped)
    sl_open_streams_spoil (SPOIL_MILLISECONDS);
  sl_end_by_signal (number);
}

/* Whether the program ends by NUMBER where nobody handles it; the two that are errors of a write
 * are left out. */
static gboolean
ends_program (int number)
{
  static const int others[] = { SIGCHLD, SIGCONT, SIGSTOP,  SIGTSTP, SIGTTIN,
                                SIGTTOU, SIGURG,  SIGWINCH, SIGPIPE, SIGXFSZ };
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (number == others[i])
      return FALSE;
  return TRUE;
}

/* A stack that has run out cannot hold the handler too. */
static void
give_stack (void)
{
  static char memory[1 << 16];
  stack_t old, fresh = { .ss_sp = memory, .ss_size = sizeof memory };
  if (sigaltstack (NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
    (void) sigaltstack (&fresh, NULL);
}

void
sl_signals_init (void)
{
  struct sigaction old, action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };
  (void) sigfillset (&action.sa_mask);
  (void) signal (SIGPIPE, SIG_IGN);
  (void) signal (SIGXFSZ, SIG_IGN);
  give_stack ();
  for (int number = 1; number <= SIGRTMAX; number++)
    if (ends_program (number) && sigaction (number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      (void) sigaction (number, &action, NULL);
}

SlTemporary *
sl_temporary_remember (const char *path)
{
  SlTemporary *entry = g_new0 (SlTemporary, 1);
  entry->path = g_strdup (path);
  entry->there = TRUE;
  entry->next = atomic_load (&temporaries);
  while (!atomic_compare_exchange_weak (&temporaries, &entry->next, entry))
    ;
  return entry;
}

void
sl_temporary_forget (SlTemporary *temporary)
{
  if (temporary != NULL)
    atomic_store (&temporary->there, FALSE);
}

const char *
sl_temporary_path (const SlTemporary *temporary)
{
  return temporary->path;
}

void
sl_stop_accept (gboolean accept)
{
  atomic_store (&stop_accepted, accept);
}

int
sl_stop_asked (void)
{
  return atomic_load (&stop_signal);
}

void
sl_end_by_signal (int number)
{
  (void) signal (number, SIG_DFL);
  (void) raise (number);
}
