/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program and adds a line to a file: how much memory it had at most, in KiB, how many open
 * descriptors and threads, its processor time in seconds, and what it is called.
 *
 *     peak FILE NAME PROGRAM ARGUMENT... */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
seconds (struct timeval time)
{
  return (double) time.tv_sec + (double) time.tv_usec / 1e6;
}

/* How many there are of WHAT in /proc/PID; 0 where that has ended. */
static int
count (pid_t pid, const char *what)
{
  char path[64];
  (void) snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, what);
  DIR *dir = opendir (path);
  int n = 0;
  while (dir != NULL && readdir (dir) != NULL)
    n++;
  if (dir != NULL)
    (void) closedir (dir);
  return n > 2 ? n - 2 : 0; /* . and .. */
}

int
main (int argc, char **argv)
{
  struct rusage used;
  char line[512];
  int status, fd = argc > 3 ? open (argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (fd < 0)
    return 2;
  pid_t pid = fork ();
  if (pid == 0)
    {
      execv (argv[3], argv + 3);
      _exit (127);
    }
  /* Whoever reads from the program, or writes to it, sees it alone end. */
  (void) close (STDIN_FILENO);
  (void) close (STDOUT_FILENO);
  static const struct timespec moment = { .tv_nsec = 20000000 };
  int fds = 0, threads = 0;
  pid_t ended = 0;
  while (pid > 0 && (ended = wait4 (pid, &status, WNOHANG, &used)) == 0)
    {
      (void) nanosleep (&moment, NULL);
      int fds_now = count (pid, "fd"), threads_now = count (pid, "task");
      fds = fds_now > fds ? fds_now : fds;
      threads = threads_now > threads ? threads_now : threads;
    }
  if (ended != pid)
    return 2;
  int n = snprintf (line, sizeof line, "%ld %d %d %.2f %s\n", used.ru_maxrss, fds, threads,
                    seconds (used.ru_utime) + seconds (used.ru_stime), argv[2]);
  if (write (fd, line, (size_t) n) != n)
    return 2;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}
