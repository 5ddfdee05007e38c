/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the program with the loader and the C library that lie beside it, wherever that is.
 *
 * The kernel loads the loader that PT_INTERP names, by an absolute path. The portable program has
 * none (packaging/tree renames it to HIDDEN_INTERP), so the kernel jumps into this file. It maps
 * the loader itself, tells it of the program as the kernel would have (auxv, see getauxval(3)), and
 * jumps to it. There is one process from the beginning, with its own name and /proc/self/exe.
 *
 * It runs before any library is there and before the program is relocated: it calls the kernel
 * alone, and has no pointers that the linker would have to fill in. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define HIDDEN_INTERP 0x60534c49
#define LIBRARIES "../libexec/softlabel/"
#define LOADER "ld-linux-x86-64.so.2"
#define PAGE 4096ul
#define MOST_HEADERS 64

/* Of the C library's start files: what the loader runs when libraries are there. */
extern void _start (void) __attribute__ ((visibility ("hidden")));

/* With a PT_PHDR and a PT_INTERP, as the loader wants them. */
static Elf64_Phdr headers[MOST_HEADERS];
/* The loader's first page, and the folder of the program where there is no /proc. */
static char first_page[PAGE];
static char origin[PATH_MAX] = "LD_ORIGIN_PATH=";

static long
call (long number, long a, long b, long c, long d, long e, long f)
{
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* Appends TEXT at N of the PATH_MAX bytes of PATH; returns where it ends. */
static long
append (char *path, long n, const char *text)
{
  while (*text != '\0' && n < PATH_MAX - 1)
    path[n++] = *text++;
  path[n] = '\0';
  return n;
}

static _Noreturn void
fail (char *path)
{
  static const char before[] = "softlabel: its own loader cannot be read: ";
  long n = 0;
  while (path[n] != '\0')
    n++;
  path[n++] = '\n';
  (void) call (SYS_write, 2, (long) before, sizeof before - 1, 0, 0, 0);
  (void) call (SYS_write, 2, (long) path, n, 0, 0, 0);
  for (;;)
    (void) call (SYS_exit_group, 127, 0, 0, 0, 0, 0);
}

/* Maps a segment of the loader, whose bytes after those of the file are 0. */
static int
map_segment (int fd, const Elf64_Phdr *segment, uintptr_t base)
{
  uintptr_t begin = base + segment->p_vaddr, in_page = begin % PAGE;
  uintptr_t filled = begin + segment->p_filesz, end = begin + segment->p_memsz;
  uintptr_t next = (filled + PAGE - 1) / PAGE * PAGE;
  int rights = (segment->p_flags & PF_R ? PROT_READ : 0)
               | (segment->p_flags & PF_W ? PROT_WRITE : 0)
               | (segment->p_flags & PF_X ? PROT_EXEC : 0);
  if (call (SYS_mmap, (long) (begin - in_page), (long) (segment->p_filesz + in_page), rights,
            MAP_PRIVATE | MAP_FIXED, fd, (long) (segment->p_offset - in_page))
      < 0)
    return 0;
  if (end > filled)
    for (volatile char *byte = (char *) filled; byte < (char *) next; byte++)
      *byte = 0;
  return end <= next
         || call (SYS_mmap, (long) next, (long) (end - next), rights,
                  MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0)
                >= 0;
}

/* Returns where the loader that is called PATH is mapped. */
static uintptr_t
map_loader (char *path)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *) first_page;
  int fd = (int) call (SYS_open, (long) path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
  if (fd < 0 || call (SYS_read, fd, (long) first_page, PAGE, 0, 0, 0) < (long) sizeof *header
      || header->e_phoff + header->e_phnum * sizeof (Elf64_Phdr) > PAGE)
    fail (path);
  const Elf64_Phdr *segments = (const Elf64_Phdr *) (first_page + header->e_phoff);
  uint64_t size = 0;
  for (int i = 0; i < header->e_phnum; i++)
    if (segments[i].p_type == PT_LOAD)
      size = segments[i].p_vaddr + segments[i].p_memsz;
  long base = call (SYS_mmap, 0, (long) size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int ok = base > 0;
  for (int i = 0; ok && i < header->e_phnum; i++)
    ok = segments[i].p_type != PT_LOAD || map_segment (fd, &segments[i], (uintptr_t) base);
  if (!ok)
    fail (path);
  (void) call (SYS_close, fd, 0, 0, 0, 0, 0);
  return (uintptr_t) base;
}

/* The value of TYPE; of AT_NULL, the last one, where there is none. */
static uint64_t *
value_of (Elf64_auxv_t *values, uint64_t type)
{
  while (values->a_type != type && values->a_type != AT_NULL)
    values++;
  return &values->a_un.a_val;
}

/* Has the loader see the program's headers as it wants them. */
static void
show_headers (Elf64_auxv_t *values)
{
  uint64_t *address = value_of (values, AT_PHDR), n = *value_of (values, AT_PHNUM);
  const Elf64_Phdr *given = (const Elf64_Phdr *) *address;
  for (uint64_t i = 0; i < n && i < MOST_HEADERS; i++)
    {
      headers[i] = given[i];
      if (given[i].p_type == PT_PHDR)
        headers[i].p_vaddr += (uintptr_t) headers - (uintptr_t) given;
      else if (given[i].p_type == HIDDEN_INTERP)
        headers[i].p_type = PT_INTERP;
    }
  *address = (uintptr_t) headers;
}

/* STACK is what the kernel left there: the number of arguments, arguments, environment, values. It
 * is moved by two words to take another variable of the environment, twice. */
static uintptr_t *
add_origin (uintptr_t *stack, uintptr_t *end_of_environment)
{
  uintptr_t *moved = stack - 2;
  for (uintptr_t *word = stack; word < end_of_environment; word++)
    word[-2] = *word;
  end_of_environment[-2] = end_of_environment[-1] = (uintptr_t) origin;
  return moved;
}

/* What to jump to, and with which stack. */
typedef struct
{
  uintptr_t entry;
  uintptr_t *stack;
} Start;

__attribute__ ((used)) static Start
sl_start_loader (uintptr_t *stack)
{
  static char path[PATH_MAX];
  uintptr_t *end = stack + 1 + *stack + 1;
  while (*end != 0)
    end++;
  Elf64_auxv_t *values = (Elf64_auxv_t *) (end + 1);
  long n = call (SYS_readlink, (long) "/proc/self/exe", (long) path, PATH_MAX / 2, 0, 0, 0);
  int no_proc = n <= 0;
  if (no_proc)
    n = append (path, 0, (const char *) *value_of (values, AT_EXECFN));
  while (n > 0 && path[n - 1] != '/')
    n--;
  path[n] = '\0';
  /* The loader asks /proc where the program lies, and then its environment. */
  if (no_proc)
    (void) append (origin, sizeof "LD_ORIGIN_PATH=" - 1, n > 0 ? path : ".");
  (void) append (path, n, LIBRARIES LOADER);
  uintptr_t base = map_loader (path);
  *value_of (values, AT_BASE) = base;
  *value_of (values, AT_ENTRY) = (uintptr_t) _start;
  show_headers (values);
  return (Start){ base + ((const Elf64_Ehdr *) first_page)->e_entry,
                  no_proc ? add_origin (stack, end) : stack };
}

/* Below the stack of the kernel there is room for two words more. */
__asm__(".globl sl_start\n"
        "sl_start:\n"
        "  endbr64\n"
        "  mov %rsp, %rdi\n"
        "  lea -64(%rsp), %rsp\n"
        "  and $-16, %rsp\n"
        "  call sl_start_loader\n"
        "  mov %rdx, %rsp\n"
        "  xor %edx, %edx\n"
        "  jmp *%rax\n");
