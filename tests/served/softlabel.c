/* SPDX-License-Identifier: GPL-3.0-or-later */
/* softlabel, for tests that start it thousands of times: has `serve`, in which all libraries are
 * loaded already, run the command line in a process of its own, with this one's descriptors,
 * folder, environment, umask and limits; hands on signals, and ends as that ends.
 *
 *     SOFTLABEL_SOCKET=PATH   where `serve` listens
 *     SOFTLABEL_REAL=PROGRAM  what is run in its place where libraries are preloaded, or go by
 *                             another processor, memory is limited, or nobody listens
 *
 * It is linked statically, and so starts at once. */
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;
static int server = -1;

static void
run_real (char **argv)
{
  const char *program = getenv ("SOFTLABEL_REAL");
  if (program != NULL)
    execv (program, argv);
  perror ("softlabel: SOFTLABEL_REAL");
  _exit (126);
}

static void
hand_on (int number)
{
  char byte = (char) number;
  (void) !send (server, &byte, 1, MSG_NOSIGNAL);
}

static int
connect_to (const char *path)
{
  struct sockaddr_un name = { .sun_family = AF_UNIX };
  if (path == NULL || strlen (path) >= sizeof name.sun_path)
    return -1;
  strcpy (name.sun_path, path);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect (fd, (struct sockaddr *) &name, sizeof name) != 0)
    {
      close (fd);
      return -1;
    }
  return fd;
}

static size_t
count_texts (char **texts, int *n)
{
  size_t bytes = 0;
  for (*n = 0; texts[*n] != NULL; ++*n)
    bytes += strlen (texts[*n]) + 1;
  return bytes;
}

static void
send_whole (const char *bytes, size_t n)
{
  for (ssize_t sent; n > 0; bytes += sent, n -= (size_t) sent)
    if ((sent = send (server, bytes, n, MSG_NOSIGNAL)) < 0)
      _exit (125);
}

static void
send_texts (char **texts)
{
  for (; *texts != NULL; texts++)
    send_whole (*texts, strlen (*texts) + 1);
}

static void
send_request (char **argv)
{
  Request request = { 0 };
  int descriptors[MOST_DESCRIPTORS + 1];
  descriptors[0] = open (".", O_PATH | O_CLOEXEC);
  for (int fd = 0; fd < 256 && request.n_descriptors < MOST_DESCRIPTORS; fd++)
    if (fd != server && fd != descriptors[0] && fcntl (fd, F_GETFD) >= 0)
      {
        request.numbers[request.n_descriptors++] = fd;
        descriptors[request.n_descriptors] = fd;
      }
  request.umask = umask (0);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    getrlimit ((__rlimit_resource_t) i, &request.limits[i]);
  for (int i = 1; i < 32; i++)
    {
      struct sigaction action;
      if (sigaction (i, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        request.ignored |= 1u << i;
    }
  request.bytes = count_texts (argv, &request.n_words);
  request.bytes += count_texts (environ, &request.n_variables);
  char room[CMSG_SPACE (sizeof descriptors)];
  struct iovec part = { .iov_base = &request, .iov_len = sizeof request };
  struct msghdr message
      = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
  struct cmsghdr *control = CMSG_FIRSTHDR (&message);
  size_t n = (size_t) (1 + request.n_descriptors) * sizeof (int);
  *control = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
                               .cmsg_type = SCM_RIGHTS,
                               .cmsg_len = CMSG_LEN (n) };
  memcpy (CMSG_DATA (control), descriptors, n);
  message.msg_controllen = CMSG_SPACE (n);
  if (sendmsg (server, &message, MSG_NOSIGNAL) != (ssize_t) sizeof request)
    _exit (125);
  send_texts (argv);
  send_texts (environ);
  /* Whoever reads what is written there waits for an end. */
  for (int i = 0; i <= request.n_descriptors; i++)
    close (descriptors[i]);
}

static void
end_by (int number)
{
  struct rlimit none = { 0 };
  sigset_t all;
  setrlimit (RLIMIT_CORE, &none);
  signal (number, SIG_DFL);
  sigemptyset (&all);
  sigaddset (&all, number);
  raise (number);
  sigprocmask (SIG_UNBLOCK, &all, NULL);
  _exit (128 + number);
}

int
main (int argc, char **argv)
{
  struct rlimit memory;
  int limited = getrlimit (RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY;
  (void) argc;
  if (getenv ("LD_PRELOAD") == NULL && getenv ("GLIBC_TUNABLES") == NULL && !limited)
    server = connect_to (getenv ("SOFTLABEL_SOCKET"));
  if (server < 0)
    run_real (argv);
  static const int handed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
  send_request (argv);
  for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
    if (signal (handed_on[i], hand_on) == SIG_IGN)
      signal (handed_on[i], SIG_IGN);
  int status;
  ssize_t n;
  do
    n = recv (server, &status, sizeof status, MSG_WAITALL);
  while (n < 0 && errno == EINTR);
  if (n != (ssize_t) sizeof status)
    _exit (125);
  if (status < 0)
    end_by (-status);
  _exit (status);
}
