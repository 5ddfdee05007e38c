/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: does what a program might that the bytes it reads have taken over. When standard
 * input is read, and in every thread that begins, it tries what the command line did not ask for,
 * and says on standard error what it could do:
 *
 *     INTRUDE_FILE=FILE    is opened, to be read and to be written
 *     INTRUDE_FOLDER=DIR   is listed; gets a file */
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__ (name) *) dlsym (RTLD_NEXT, #name))

static void
tell (const char *what, int could)
{
  dprintf (2, "%s: %s\n", what, could ? "yes" : "no");
}

static int
can_open (const char *path, int flags)
{
  int fd = open (path, flags, 0600);
  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

static int
can_list (const char *path)
{
  DIR *folder = opendir (path);
  if (folder != NULL)
    closedir (folder);
  return folder != NULL;
}

/* Nobody listens there: who may try is refused. */
static int
can_connect (void)
{
  struct sockaddr_in to = { .sin_family = AF_INET,
                            .sin_port = htons (9),
                            .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM, 0);
  if (fd < 0)
    return 0;
  int failed = connect (fd, (struct sockaddr *) &to, sizeof to), why = errno;
  close (fd);
  return failed == 0 || (why != EACCES && why != EPERM);
}

static int
can_make_socket (int family, int type)
{
  int fd = socket (family, type, 0);
  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

static int
can_run (const char *program)
{
  pid_t child = fork ();
  if (child == 0)
    {
      execl (program, program, (char *) NULL);
      _exit (99);
    }
  int status = 0;
  waitpid (child, &status, 0);
  return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static void
intrude (void)
{
  const char *file = getenv ("INTRUDE_FILE"), *folder = getenv ("INTRUDE_FOLDER");
  char made[4096];
  if (file == NULL || folder == NULL)
    return;
  snprintf (made, sizeof made, "%s/made", folder);
  tell ("read", can_open (file, O_RDONLY));
  tell ("write", can_open (file, O_WRONLY));
  tell ("list", can_list (folder));
  tell ("make", can_open (made, O_WRONLY | O_CREAT));
  tell ("remove", unlink (made) == 0);
  tell ("connect", can_connect ());
  tell ("datagram", can_make_socket (AF_INET, SOCK_DGRAM));
  tell ("local socket", can_make_socket (AF_UNIX, SOCK_STREAM));
  tell ("permissions", chmod (file, 0644) == 0);
  tell ("run", can_run ("/bin/true"));
  tell ("signal", kill (getppid (), 0) == 0);
}

ssize_t
read (int fd, void *bytes, size_t n)
{
  static int done;
  if (fd == 0 && !__atomic_exchange_n (&done, 1, __ATOMIC_SEQ_CST))
    intrude ();
  return NEXT (read) (fd, bytes, n);
}

typedef struct
{
  void *(*begin) (void *);
  void *data;
} Thread;

static void *
begin_thread (void *data)
{
  Thread thread = *(Thread *) data;
  free (data);
  intrude ();
  return thread.begin (thread.data);
}

int
pthread_create (pthread_t *id, const pthread_attr_t *how, void *(*begin) (void *), void *data)
{
  Thread *thread = malloc (sizeof *thread);
  *thread = (Thread){ begin, data };
  return NEXT (pthread_create) (id, how, begin_thread, thread);
}
