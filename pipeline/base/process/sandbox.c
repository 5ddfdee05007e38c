/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- files: Landlock ---- */

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
#define MOUNT_SETATTR 442
#define FCHMODAT2 452
#define SETXATTRAT 463
#define REMOVEXATTRAT 466
#define FIRST_RIGHTS ((UINT64_C (1) << 13) - 1)

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE)
#define CHANGE                                                                                     \
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
allow_open (SlSandbox *sandbox, int fd, guint64 rights)
{
  struct stat info;
  if (fstat (fd, &info) != 0)
    return;
  guint64 fit = S_ISDIR (info.st_mode) ? rights : rights & OF_FILES;
  struct landlock_path_beneath_attr rule
      = { .allowed_access = fit & sandbox->files, .parent_fd = fd };
  (void) syscall (SYS_landlock_add_rule, sandbox->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static void
allow (SlSandbox *sandbox, const char *path, guint64 rights)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  sandbox->lacks = sandbox->lacks || (fd < 0 && (errno == EMFILE || errno == ENFILE));
  if (fd < 0)
    return;
  allow_open (sandbox, fd, rights);
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
    allow (sandbox, *path, READ);
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
allow_links (SlSandbox *sandbox, const char *path, GHashTable *seen)
{
  DIR *folder = opendir (path);
  const struct dirent *entry;
  gboolean go_on = folder != NULL && is_new (dirfd (folder), seen);
  while (go_on && (entry = readdir (folder)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, entry->d_name, NULL);
      gboolean known = entry->d_type != DT_UNKNOWN;
      if (entry->d_type == DT_LNK || (!known && g_file_test (inner, G_FILE_TEST_IS_SYMLINK)))
        allow (sandbox, inner, READ);
      if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
          && entry->d_type != DT_REG)
        allow_links (sandbox, inner, seen);
    }
  if (folder != NULL)
    (void) closedir (folder);
}

void
sl_sandbox_allow_read (SlSandbox *sandbox, const char *path, gboolean links)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  allow (sandbox, path, READ);
  if (links)
    allow_links (sandbox, path, seen);
}

void
sl_sandbox_allow_read_open (SlSandbox *sandbox, int fd)
{
  allow_open (sandbox, fd, READ);
}

void
sl_sandbox_allow_write (SlSandbox *sandbox, const char *path)
{
  allow (sandbox, path, LANDLOCK_ACCESS_FS_WRITE_FILE);
}

void
sl_sandbox_allow_changes (SlSandbox *sandbox, const char *folder)
{
  allow (sandbox, folder, CHANGE);
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE) && !defined(SANITIZED)
/* ---- calls: seccomp, and rights ---- */

/* Calls that Landlock leaves alone, and no stage has a use for. */
static const int forbidden[] = {
  /* others are reached */
  SYS_socket,
  SYS_ptrace,
  SYS_process_vm_readv,
  SYS_process_vm_writev,
  SYS_pidfd_open,
  SYS_pidfd_getfd,
  SYS_kcmp,
  SYS_shmget,
  SYS_semget,
  SYS_msgget,
  SYS_mq_open,
  SYS_add_key,
  SYS_keyctl,
  SYS_request_key,
  /* a file is changed by its name */
  SYS_fchmodat,
  SYS_fchownat,
  SYS_setxattr,
  SYS_lsetxattr,
  SYS_removexattr,
  SYS_lremovexattr,
  FCHMODAT2,
  SETXATTRAT,
  REMOVEXATTRAT,
  /* the machine is changed, or what this process sees of it */
  SYS_chroot,
  SYS_pivot_root,
  SYS_mount,
  SYS_umount2,
  SYS_move_mount,
  SYS_open_tree,
  SYS_fsopen,
  SYS_fsmount,
  MOUNT_SETATTR,
  SYS_unshare,
  SYS_setns,
  SYS_sethostname,
  SYS_setdomainname,
  SYS_settimeofday,
  SYS_clock_settime,
  SYS_clock_adjtime,
  SYS_adjtimex,
  SYS_reboot,
  SYS_swapon,
  SYS_swapoff,
  SYS_acct,
  SYS_quotactl,
  SYS_init_module,
  SYS_finit_module,
  SYS_delete_module,
  SYS_kexec_load,
  /* the kernel is given programs */
  SYS_bpf,
  SYS_io_uring_setup,
  SYS_perf_event_open,
  SYS_userfaultfd,
#ifdef SYS_chmod
  SYS_chmod,
  SYS_chown,
  SYS_lchown,
  SYS_utime,
  SYS_utimes,
  SYS_futimesat,
  SYS_iopl,
  SYS_ioperm,
  SYS_kexec_file_load,
#endif
};

static void
add (GArray *filter, struct sock_filter instruction)
{
  g_array_append_val (filter, instruction);
}

static void
add_refusal (GArray *filter)
{
  add (filter, (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
}

/* Goes on where what was loaded is not VALUE, past the next N instructions. */
static void
add_unless (GArray *filter, guint32 value, guint8 n)
{
  add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, value, 0, n));
}

static void
add_load (GArray *filter, gsize offset)
{
  add (filter, (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (guint32) offset));
}

/* Times are set of what is open alone (no name is given), and nothing is typed at a terminal. */
static void
add_arguments (GArray *filter)
{
  const gsize number = offsetof (struct seccomp_data, nr);
  const gsize second = offsetof (struct seccomp_data, args[1]);
  add_unless (filter, SYS_utimensat, 6);
  for (gsize half = 0; half < 2; half++)
    {
      add_load (filter, second + half * sizeof (guint32));
      add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
      add_refusal (filter);
    }
  add_load (filter, number);
  add_unless (filter, SYS_ioctl, 4);
  add_load (filter, second);
  add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 1, 0));
  add_unless (filter, TIOCLINUX, 1);
  add_refusal (filter);
}
#endif

/* Those calls fail as if they were forbidden. */
static gboolean
forbid_calls (void)
{
#if defined(ARCHITECTURE) && !defined(SANITIZED)
  g_autoptr (GArray) filter = g_array_new (FALSE, FALSE, sizeof (struct sock_filter));
  add_load (filter, offsetof (struct seccomp_data, arch));
  add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
  add_refusal (filter);
  add_load (filter, offsetof (struct seccomp_data, nr));
  /* The other calls of x86-64, by numbers of their own. */
  add (filter, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  add_refusal (filter);
  for (gsize i = 0; i < G_N_ELEMENTS (forbidden); i++)
    {
      add_unless (filter, (guint32) forbidden[i], 1);
      add_refusal (filter);
    }
  add_arguments (filter);
  add (filter, (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  struct sock_fprog program
      = { .len = (unsigned short) filter->len, .filter = (struct sock_filter *) filter->data };
  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#else
  return TRUE;
#endif
}

/* Of root's rights those over files stay, as far as Landlock lets it reach any. */
static gboolean
drop_capabilities (void)
{
  const guint32 kept
      = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER | 1u << CAP_FSETID;
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };
  if (syscall (SYS_capget, &header, sets) != 0)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      sets[i].effective &= i == 0 ? kept : 0;
      sets[i].permitted &= i == 0 ? kept : 0;
      sets[i].inheritable = 0;
    }
  return syscall (SYS_capset, &header, sets) == 0;
}

gboolean
sl_sandbox_enter (SlSandbox *sandbox)
{
  return !sandbox->lacks && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
         && syscall (SYS_landlock_restrict_self, sandbox->fd, 0) == 0 && drop_capabilities ()
         && forbid_calls ();
}
