/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sanitizers trace the process themselves, and run a program that names the places. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

/* What headers of Linux 5.13 do not name yet. */
#define REFER (UINT64_C (1) << 13)    /* from version 2 on */
#define TRUNCATE (UINT64_C (1) << 14) /* 3 */
#define NETWORK UINT64_C (3)          /* 4: to bind, to connect */
#define ABSTRACT_SOCKETS UINT64_C (1) /* 6 */
#define SIGNALS (UINT64_C (1) << 1)   /* 6 */
/* Nor calls of later versions, which have one number everywhere. */
#define FCHMODAT2 452
#define SETXATTRAT 463
#define REMOVEXATTRAT 466
#define FIRST_RIGHTS ((UINT64_C (1) << 13) - 1)

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE)
#define KEEP                                                                                       \
  (READ | WRITE | REFER | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR                \
   | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR)
/* Of a file, all others are of folders. */
#define OF_FILES (LANDLOCK_ACCESS_FS_READ_FILE | WRITE)

/* The kernel takes attributes of an earlier version, which are shorter. */
typedef struct
{
  guint64 files, network, scoped;
} Rules;

struct _SlSandbox
{
  int fd;
  guint64 files;  /* rights that the rules are about */
  gboolean lacks; /* a rule could not be made: descriptors have run out */
};

/* Where programs look for libraries, how text is encoded and what the machine is like. */
static const char *const system_files[] = { "/usr/lib",
                                            "/usr/lib64",
                                            "/usr/local/lib",
                                            "/lib",
                                            "/lib64",
                                            "/usr/share/locale",
                                            "/usr/share/zoneinfo",
                                            "/etc/ld.so.cache",
                                            "/etc/localtime",
                                            "/proc/self",
                                            "/proc/self/exe",
                                            "/proc/cpuinfo",
                                            "/proc/meminfo",
                                            "/proc/sys/vm",
                                            "/sys/devices/system",
                                            "/sys/fs/cgroup",
                                            "/dev/null",
                                            "/dev/urandom",
                                            NULL };

static void
let (SlSandbox *sandbox, const char *path, guint64 rights)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  struct stat info;
  sandbox->lacks = sandbox->lacks || (fd < 0 && (errno == EMFILE || errno == ENFILE));
  if (fd >= 0 && fstat (fd, &info) == 0)
    {
      guint64 fit = S_ISDIR (info.st_mode) ? rights : rights & OF_FILES;
      struct landlock_path_beneath_attr rule
          = { .allowed_access = fit & sandbox->files, .parent_fd = fd };
      (void) syscall (SYS_landlock_add_rule, sandbox->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
  if (fd >= 0)
    (void) close (fd);
}

SlSandbox *
sl_sandbox_new (void)
{
  long version = syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return NULL;
  Rules rules
      = { .files = FIRST_RIGHTS | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0),
          .network = version >= 4 ? NETWORK : 0,
          .scoped = version >= 6 ? ABSTRACT_SOCKETS | SIGNALS : 0 };
  gsize size = version >= 6   ? sizeof rules
               : version >= 4 ? offsetof (Rules, scoped)
                              : offsetof (Rules, network);
#ifdef SANITIZED
  rules.files &= ~(guint64) LANDLOCK_ACCESS_FS_EXECUTE;
#endif
  int fd = (int) syscall (SYS_landlock_create_ruleset, &rules, size, 0);
  if (fd < 0)
    return NULL;
  SlSandbox *sandbox = g_new (SlSandbox, 1);
  *sandbox = (SlSandbox){ .fd = fd, .files = rules.files };
  for (const char *const *path = system_files; *path != NULL; path++)
    let (sandbox, *path, READ);
  return sandbox;
}

void
sl_sandbox_free (SlSandbox *sandbox)
{
  (void) close (sandbox->fd);
  g_free (sandbox);
}

/* Whether the folder that FD is has not been in SEEN, which it joins: links may lead in circles. */
static gboolean
is_new (int fd, GHashTable *seen)
{
  struct stat info;
  return fstat (fd, &info) == 0
         && g_hash_table_add (
             seen, g_strdup_printf ("%ju %ju", (uintmax_t) info.st_dev, (uintmax_t) info.st_ino));
}

/* What links below PATH lead to, where it is a folder. */
static void
let_links (SlSandbox *sandbox, const char *path, GHashTable *seen)
{
  DIR *folder = opendir (path);
  const struct dirent *entry;
  gboolean go_on = folder != NULL && is_new (dirfd (folder), seen);
  while (go_on && (entry = readdir (folder)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, entry->d_name, NULL);
      gboolean known = entry->d_type != DT_UNKNOWN;
      if (entry->d_type == DT_LNK || (!known && g_file_test (inner, G_FILE_TEST_IS_SYMLINK)))
        let (sandbox, inner, READ);
      if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
          && entry->d_type != DT_REG)
        let_links (sandbox, inner, seen);
    }
  if (folder != NULL)
    (void) closedir (folder);
}

void
sl_sandbox_let_read (SlSandbox *sandbox, const char *path, gboolean links)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  let (sandbox, path, READ);
  if (links)
    let_links (sandbox, path, seen);
}

void
sl_sandbox_let_write (SlSandbox *sandbox, const char *path)
{
  let (sandbox, path, LANDLOCK_ACCESS_FS_WRITE_FILE);
}

void
sl_sandbox_let_keep (SlSandbox *sandbox, const char *folder)
{
  let (sandbox, folder, KEEP);
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Calls that Landlock leaves alone, and no stage has a use for: those that reach others, and those
 * that change a file by its name. They fail as if they were forbidden. */
static gboolean
forbid_calls (void)
{
#if defined(ARCHITECTURE) && !defined(SANITIZED)
  static const int forbidden[] = {
    SYS_socket,       SYS_ptrace,   SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_fchmodat,     SYS_fchownat, SYS_setxattr,         SYS_lsetxattr,
    SYS_mount,        SYS_bpf,      SYS_io_uring_setup,   SYS_removexattr,
    SYS_lremovexattr, FCHMODAT2,    SETXATTRAT,           REMOVEXATTRAT,
#ifdef SYS_chmod
    SYS_chmod,        SYS_chown,    SYS_lchown,
#endif
  };
#define LAST (5 + 2 * G_N_ELEMENTS (forbidden))
  struct sock_filter filter[LAST + 1] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, arch)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    /* The other calls of x86-64, by numbers of their own. */
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 1, 0),
  };
  for (gsize i = 0; i < G_N_ELEMENTS (forbidden); i++)
    {
      filter[5 + 2 * i]
          = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (guint32) forbidden[i], 0, 1);
      filter[6 + 2 * i]
          = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
  filter[LAST] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = { .len = G_N_ELEMENTS (filter), .filter = filter };
  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
  return TRUE;
#endif
}

gboolean
sl_sandbox_enter (SlSandbox *sandbox)
{
  return !sandbox->lacks && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
         && syscall (SYS_landlock_restrict_self, sandbox->fd, 0) == 0 && forbid_calls ();
}
