/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A filter of seccomp stops the program at the calls in question alone, so that a run takes hardly
 * longer than without. Calls of the loader do not count: the first that does comes after SIGPIPE is
 * ignored. */
#include "traced-run.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 60 /* a run that takes longer hangs */

static const struct
{
  const char *name;
  int number;
} calls[] = {
  { "allocation", ALLOCATION },
  { "any", ANY_CALL },
  { "brk", SYS_brk },
  { "clone3", SYS_clone3 },
  { "close", SYS_close },
  { "copy_file_range", SYS_copy_file_range },
  { "fallocate", SYS_fallocate },
  { "fchmod", SYS_fchmod },
  { "fchown", SYS_fchown },
  { "fcntl", SYS_fcntl },
  { "flock", SYS_flock },
  { "fstat", SYS_fstat },
  { "fsync", SYS_fsync },
  { "ftruncate", SYS_ftruncate },
  { "getdents64", SYS_getdents64 },
  { "getrandom", SYS_getrandom },
  { "ioctl", SYS_ioctl },
  { "linkat", SYS_linkat },
  { "lseek", SYS_lseek },
  { "madvise", SYS_madvise },
#ifdef SYS_mkdir
  { "mkdir", SYS_mkdir },
  { "poll", SYS_poll },
  { "readlink", SYS_readlink },
  { "rename", SYS_rename },
  { "rmdir", SYS_rmdir },
  { "unlink", SYS_unlink },
#endif
  { "mmap", SYS_mmap },
  { "mprotect", SYS_mprotect },
  { "munmap", SYS_munmap },
  { "newfstatat", SYS_newfstatat },
  { "openat", SYS_openat },
  { "pread64", SYS_pread64 },
  { "pwrite64", SYS_pwrite64 },
  { "read", SYS_read },
  { "readv", SYS_readv },
  { "renameat2", SYS_renameat2 },
  { "statx", SYS_statx },
  { "utimensat", SYS_utimensat },
  { "write", SYS_write },
  { "writev", SYS_writev },
};

int
traced_call (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    if (strcmp (calls[i].name, name) == 0)
      return calls[i].number;
  return NO_CALL;
}

static gboolean
filter_calls (int call)
{
  struct sock_filter filter[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 1, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (unsigned) call, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_TRACE),
    BPF_STMT (BPF_RET | BPF_K, call == ANY_CALL ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { G_N_ELEMENTS (filter), filter };
  return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
         && prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

typedef struct
{
  int in[2], out[2], err, go[2];
} Ends;

/* The mark is a file that is created at the fault. */
static void
fail_allocation (const Fault *fault, const char *preloaded, const char *mark)
{
  g_autofree char *number = g_strdup_printf ("%d", fault->number);
  (void) g_setenv ("LD_PRELOAD", preloaded, TRUE);
  (void) g_setenv ("FAIL_CALL", "malloc", TRUE);
  (void) g_setenv ("FAIL_AT", number, TRUE);
  (void) g_setenv ("FAIL_ERRNO", "12", TRUE);
  (void) g_setenv ("FAIL_MARK", mark, TRUE);
}

static void
run_child (char **argv, const char *folder, gboolean has_input, const Ends *ends, int call)
{
  char byte;
  int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (chdir (folder) != 0 || dup2 (has_input ? ends->in[0] : null, STDIN_FILENO) < 0
      || dup2 (ends->out[1], STDOUT_FILENO) < 0 || dup2 (ends->err, STDERR_FILENO) < 0)
    _exit (126);
  (void) signal (SIGINT, SIG_DFL);
  (void) signal (SIGPIPE, SIG_DFL);
  /* The parent has taken hold of it then. */
  if (read (ends->go[0], &byte, 1) != 1 || !filter_calls (call))
    _exit (125);
  execv (argv[0], argv);
  _exit (127);
}

/* Writes INPUT into the pipe, so that no size is too large for it. */
static pid_t
feed (const char *input, const Ends *ends)
{
  pid_t pid = fork ();
  if (pid != 0)
    return pid;
  g_autofree char *bytes = NULL;
  gsize n = 0;
  (void) signal (SIGPIPE, SIG_DFL);
  (void) close (ends->in[0]);
  (void) close (ends->out[0]);
  (void) close (ends->out[1]);
  if (!g_file_get_contents (input, &bytes, &n, NULL))
    _exit (1);
  for (gsize at = 0; at < n;)
    {
      ssize_t written = write (ends->in[1], bytes + at, n - at);
      if (written <= 0)
        break;
      at += (gsize) written;
    }
  _exit (0);
}

static void
fail_call (pid_t pid, int error)
{
#if defined(__x86_64__)
  struct user_regs_struct registers;
  if (ptrace (PTRACE_GETREGS, pid, 0, &registers) != 0)
    return;
  registers.orig_rax = ~0ull;
  registers.rax = (unsigned long long) -error;
  (void) ptrace (PTRACE_SETREGS, pid, 0, &registers);
#elif defined(__aarch64__)
  struct user_regs_struct registers;
  int none = -1;
  struct iovec io = { &registers, sizeof registers }, call = { &none, sizeof none };
  if (ptrace (PTRACE_GETREGSET, pid, 1 /* NT_PRSTATUS */, &io) != 0)
    return;
  (void) ptrace (PTRACE_SETREGSET, pid, 0x404 /* NT_ARM_SYSTEM_CALL */, &call);
  registers.regs[0] = (unsigned long long) -error;
  (void) ptrace (PTRACE_SETREGSET, pid, 1, &io);
#endif
}

typedef struct
{
  const Fault *fault;
  TracedRun *run;
  pid_t pid;
  gboolean started;
  int count;
} Trace;

/* Thread TID is about to make a call. */
static void
on_call (Trace *trace, pid_t tid)
{
  struct __ptrace_syscall_info info;
  const Fault *fault = trace->fault;
  if (ptrace (PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0)
    return;
  if (info.seccomp.nr == SYS_rt_sigaction && info.seccomp.args[0] == SIGPIPE)
    trace->started = TRUE;
  if (!trace->started || (fault->call != ANY_CALL && (int) info.seccomp.nr != fault->call)
      || ++trace->count != fault->number)
    return;
  trace->run->fired = TRUE;
  if (fault->error != 0)
    fail_call (tid, fault->error);
  if (fault->signal != 0)
    (void) kill (trace->pid, fault->signal);
}

static pid_t watched;

static void
on_alarm (int number)
{
  (void) kill (watched, SIGKILL);
  watched = 0;
}

static void
follow (Trace *trace)
{
  int status;
  watched = trace->pid;
  (void) signal (SIGALRM, on_alarm);
  (void) alarm (SECONDS);
  for (;;)
    {
      pid_t tid = waitpid (-1, &status, __WALL);
      if (tid < 0 && errno == EINTR)
        continue;
      if (tid < 0)
        break;
      if (WIFSTOPPED (status))
        {
          int event = status >> 16, number = WSTOPSIG (status);
          if (event == PTRACE_EVENT_SECCOMP)
            on_call (trace, tid);
          (void) ptrace (PTRACE_CONT, tid, 0, event == 0 ? number : 0);
        }
      else if (tid == trace->pid)
        trace->run->status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
    }
  (void) alarm (0);
  trace->run->hung = watched == 0;
}

/* Takes what comes by the pipe, in a thread of its own: the trace waits for the program alone. */
static gpointer
take_out (gpointer data)
{
  const int *end = data;
  GByteArray *out = g_byte_array_new ();
  guint8 bytes[1 << 16];
  for (;;)
    {
      ssize_t n = read (*end, bytes, sizeof bytes);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return out;
      g_byte_array_append (out, bytes, (guint) n);
    }
}

static char *
take_said (int fd)
{
  g_autoptr (GString) said = g_string_new (NULL);
  char bytes[4096];
  ssize_t n;
  (void) lseek (fd, 0, SEEK_SET);
  while ((n = read (fd, bytes, sizeof bytes)) > 0)
    g_string_append_len (said, bytes, n);
  return g_strdup (said->str);
}

TracedRun *
traced_run (char **argv, const char *folder, const char *input, const char *preloaded,
            const Fault *fault)
{
  TracedRun *run = g_new0 (TracedRun, 1);
  g_autofree char *here = g_get_current_dir (), *mark = g_build_filename (here, "mark", NULL);
  Ends ends = { .err = -1 };
  ends.err = memfd_create ("said", MFD_CLOEXEC);
  if (ends.err < 0 || pipe2 (ends.in, O_CLOEXEC) != 0 || pipe2 (ends.out, O_CLOEXEC) != 0
      || pipe2 (ends.go, O_CLOEXEC) != 0)
    g_error ("traced-run: %s", g_strerror (errno));
  Trace trace = { fault, run, .pid = fork () };
  if (trace.pid == 0 && fault->call == ALLOCATION)
    fail_allocation (fault, preloaded, mark);
  if (trace.pid == 0)
    run_child (argv, folder, input != NULL, &ends, fault->call);
  if (input != NULL)
    (void) feed (input, &ends);
  (void) close (ends.in[0]);
  (void) close (ends.in[1]);
  (void) close (ends.out[1]);
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  if (ptrace (PTRACE_SEIZE, trace.pid, 0, options) != 0 || write (ends.go[1], "", 1) != 1)
    g_error ("traced-run: %s", g_strerror (errno));
  GThread *taker = g_thread_new ("out", take_out, &ends.out[0]);
  follow (&trace);
  run->out = g_thread_join (taker);
  run->said = take_said (ends.err);
  run->fired = run->fired || unlink (mark) == 0;
  (void) close (ends.out[0]);
  (void) close (ends.err);
  (void) close (ends.go[0]);
  (void) close (ends.go[1]);
  return run;
}

void
traced_run_free (TracedRun *run)
{
  g_byte_array_unref (run->out);
  g_free (run->said);
  g_free (run);
}
