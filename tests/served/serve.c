/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All of softlabel, loaded once: for each client (softlabel.c) a copy of this process runs its
 * command line, as the program would that the same sources make.
 *
 *     serve SOCKET     until it is ended, or the process that started it is gone */
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_CLIENTS 256
#define FIRST_FREE 600 /* of descriptors, past those of any client */

int softlabel_main (int argc, char **argv);
#define main softlabel_main
#include "pipeline/command/main.c"
#undef main

static struct
{
  int fd;
  pid_t pid;
} clients[MOST_CLIENTS];
static int n_clients;

/* The request, its texts, and its descriptors from FIRST_FREE on. NULL: the client is gone. */
static char *
receive (int fd, Request *request)
{
  char room[CMSG_SPACE ((MOST_DESCRIPTORS + 1) * sizeof (int))];
  int got[MOST_DESCRIPTORS + 1];
  struct iovec part = { .iov_base = request, .iov_len = sizeof *request };
  struct msghdr message
      = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
  if (recvmsg (fd, &message, MSG_WAITALL) != (ssize_t) sizeof *request)
    return NULL;
  size_t n = (size_t) (1 + request->n_descriptors);
  memcpy (got, CMSG_DATA (CMSG_FIRSTHDR (&message)), n * sizeof *got);
  for (size_t i = 0; i < n; i++)
    {
      (void) !dup2 (got[i], FIRST_FREE + (int) i);
      close (got[i]);
    }
  char *texts = malloc (request->bytes + 1);
  if (recv (fd, texts, request->bytes, MSG_WAITALL) == (ssize_t) request->bytes)
    return texts;
  free (texts);
  return NULL;
}

static char **
next_texts (char **at, int n)
{
  char **texts = calloc ((size_t) n + 1, sizeof *texts);
  for (int i = 0; i < n; i++)
    {
      texts[i] = *at;
      *at += strlen (*at) + 1;
    }
  return texts;
}

/* In a process of its own, which becomes what the client was. */
static int
run (const Request *request, char *at)
{
  sigset_t none;
  char **words = next_texts (&at, request->n_words);
  environ = next_texts (&at, request->n_variables);
  if (fchdir (FIRST_FREE) != 0)
    return 125;
  (void) close_range (0, FIRST_FREE - 1, 0);
  for (int i = 0; i < request->n_descriptors; i++)
    (void) !dup2 (FIRST_FREE + 1 + i, request->numbers[i]);
  (void) close_range (FIRST_FREE, ~0U, 0);
  umask (request->umask);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    (void) setrlimit ((__rlimit_resource_t) i, &request->limits[i]);
  for (int i = 1; i < 32; i++)
    (void) signal (i, (request->ignored & 1u << i) != 0 ? SIG_IGN : SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  return softlabel_main (request->n_words, words);
}

static void
forget (int i)
{
  close (clients[i].fd);
  clients[i] = clients[--n_clients];
}

static void
tell_ended (void)
{
  int status;
  pid_t pid;
  while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
    for (int i = 0; i < n_clients; i++)
      if (clients[i].pid == pid)
        {
          int told = WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
          (void) !send (clients[i].fd, &told, sizeof told, MSG_NOSIGNAL);
          forget (i);
          break;
        }
}

/* A signal for the process, or the client is gone, and the process with it. */
static void
hear (int i)
{
  char number;
  ssize_t n = recv (clients[i].fd, &number, 1, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
    (void) kill (clients[i].pid, SIGKILL);
  else if (n == 1)
    (void) kill (clients[i].pid, number);
}

static void
begin (int listening)
{
  Request request;
  int fd = accept4 (listening, NULL, NULL, SOCK_CLOEXEC);
  char *texts = fd >= 0 ? receive (fd, &request) : NULL;
  pid_t pid = texts != NULL ? fork () : -1;
  if (pid == 0)
    exit (run (&request, texts));
  (void) close_range (FIRST_FREE, ~0U, 0);
  free (texts);
  if (pid > 0)
    {
      clients[n_clients].fd = fd;
      clients[n_clients++].pid = pid;
    }
  else if (fd >= 0)
    close (fd);
}

int
main (int argc, char **argv)
{
  struct sockaddr_un name = { .sun_family = AF_UNIX };
  if (argc != 2 || strlen (argv[1]) >= sizeof name.sun_path)
    return 2;
  strcpy (name.sun_path, argv[1]);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  int listening = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind (listening, (struct sockaddr *) &name, sizeof name) != 0 || listen (listening, 128) != 0)
    return 1;
  sigset_t ended;
  sigemptyset (&ended);
  sigaddset (&ended, SIGCHLD);
  sigprocmask (SIG_BLOCK, &ended, NULL);
  int endings = signalfd (-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
  for (;;)
    {
      struct pollfd waits[MOST_CLIENTS + 2]
          = { { .fd = n_clients < MOST_CLIENTS ? listening : -1, .events = POLLIN },
              { .fd = endings, .events = POLLIN } };
      int n = n_clients;
      for (int i = 0; i < n; i++)
        waits[2 + i] = (struct pollfd){ .fd = clients[i].fd, .events = POLLIN };
      if (poll (waits, (nfds_t) n + 2, -1) < 0)
        continue;
      /* Who is gone is told of from the last on: forgetting one moves the last. */
      for (int i = 0; i < n; i++)
        if (waits[2 + i].revents != 0)
          hear (i);
      struct signalfd_siginfo info;
      while (read (endings, &info, sizeof info) > 0)
        ;
      tell_ended ();
      if (waits[0].revents != 0)
        begin (listening);
    }
}
