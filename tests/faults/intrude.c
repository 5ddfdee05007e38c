/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: does what a program might that the bytes it reads have taken over. When standard
 * input is read, and in every thread that begins, it tries what the command line did not ask for,
 * and says on standard error what it could do:
 *
 *     INTRUDE_FILE=FILE     is opened, to be read and to be written; gets another time
 *     INTRUDE_FOLDER=DIR    is listed; gets a file
 *     INTRUDE_PROGRAM=FILE  is run
 *
 * And what another program may do meanwhile: as the process is about to lock itself in, the file
 * INTRUDE_NEW gets the name INTRUDE_NAME; with INTRUDE_BACK that is when INTRUDE_NAME has been
 * opened once, and when it has been opened again the file INTRUDE_BACK gets the name. */
/* open() and open64() both. */
#undef _FILE_OFFSET_BITS
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__ (name) *) dlsym (RTLD_NEXT, #name))

/* Without stdio: where the program ends meanwhile, that takes the buffers of its files away. */
static void
tell (const char *what, int could)
{
  char line[80];
  int n = snprintf (line, sizeof line, "%s: %s\n", what, could ? "yes" : "no");
  (void) !write (2, line, (size_t) n);
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

/* A program that is in no folder. */
static int
can_run_from_memory (void)
{
  char path[64], bytes[1 << 16];
  int from = open ("/bin/true", O_RDONLY), to = memfd_create ("program", 0);
  ssize_t n;
  while (from >= 0 && to >= 0 && (n = NEXT (read) (from, bytes, sizeof bytes)) > 0)
    (void) !write (to, bytes, (size_t) n);
  snprintf (path, sizeof path, "/proc/self/fd/%d", to);
  return to >= 0 && can_run (path);
}

static int
can_trace (void)
{
  pid_t child = fork ();
  if (child == 0)
    {
      sleep (5); /* and no longer: the parent may not be able to end it */
      _exit (0);
    }
  int could = ptrace (PTRACE_SEIZE, child, NULL, NULL) == 0;
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  return could;
}

static int
can_share_memory (void)
{
  int id = shmget (IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  if (id >= 0)
    shmctl (id, IPC_RMID, NULL);
  return id >= 0;
}

/* In a process of its own: it should not be elsewhere afterwards. */
static int
can_change_root (void)
{
  pid_t child = fork ();
  if (child == 0)
    _exit (chroot ("/"));
  int status = 0;
  waitpid (child, &status, 0);
  return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

/* To what it is. */
static int
can_name_host (void)
{
  char name[256] = "";
  gethostname (name, sizeof name - 1);
  return sethostname (name, strlen (name)) == 0;
}

/* Whether a right is left to reach other programs. */
static int
has_capability (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  return syscall (SYS_capget, &header, sets) == 0
         && ((sets[0].permitted | sets[0].effective) & 1u << CAP_KILL) != 0;
}

/* One thread at a time: what one makes another would remove. */
static void
intrude (void)
{
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  const char *file = getenv ("INTRUDE_FILE"), *folder = getenv ("INTRUDE_FOLDER");
  char made[4096];
  if (file == NULL || folder == NULL)
    return;
  pthread_mutex_lock (&turn);
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
  tell ("times", utimensat (AT_FDCWD, file, NULL, 0) == 0);
  tell ("run", can_run ("/bin/true"));
  if (getenv ("INTRUDE_PROGRAM") != NULL)
    tell ("run what it may write", can_run (getenv ("INTRUDE_PROGRAM")));
  tell ("run from memory", can_run_from_memory ());
  tell ("trace", can_trace ());
  tell ("shared memory", can_share_memory ());
  tell ("accounts", can_open ("/etc/passwd", O_RDONLY));
  tell ("as root: root folder", can_change_root ());
  tell ("as root: host name", can_name_host ());
  tell ("as root: capabilities", has_capability ());
  tell ("signal", kill (getppid (), 0) == 0);
  pthread_mutex_unlock (&turn);
}

static void
put_in_place (const char *from, const char *to)
{
  if (from != NULL && to != NULL && rename (from, to) != 0)
    perror (to);
}

static int
open_name (const char *path, int flags, mode_t mode)
{
  static int n;
  const char *name = getenv ("INTRUDE_NAME"), *back = getenv ("INTRUDE_BACK");
  int fd = (int) syscall (SYS_openat, AT_FDCWD, path, flags, mode);
  if (fd >= 0 && back != NULL && name != NULL && strcmp (path, name) == 0)
    {
      int opened = __atomic_add_fetch (&n, 1, __ATOMIC_SEQ_CST);
      if (opened <= 2)
        put_in_place (opened == 1 ? getenv ("INTRUDE_NEW") : back, name);
    }
  return fd;
}

static mode_t
mode_of (int flags, va_list args)
{
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg (args, mode_t) : 0;
}

int
open (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = mode_of (flags, args);
  va_end (args);
  return open_name (path, flags, mode);
}

int
open64 (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = mode_of (flags, args);
  va_end (args);
  return open_name (path, flags, mode);
}

/* As the C library's own checks call it. */
int __open64_2 (const char *path, int flags);

int
__open64_2 (const char *path, int flags)
{
  return open_name (path, flags, 0);
}

int
prctl (int option, ...)
{
  va_list args;
  va_start (args, option);
  unsigned long a = va_arg (args, unsigned long), b = va_arg (args, unsigned long),
                c = va_arg (args, unsigned long), d = va_arg (args, unsigned long);
  va_end (args);
  if (option == PR_SET_NO_NEW_PRIVS && getenv ("INTRUDE_BACK") == NULL)
    put_in_place (getenv ("INTRUDE_NEW"), getenv ("INTRUDE_NAME"));
  return (int) syscall (SYS_prctl, option, a, b, c, d);
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
