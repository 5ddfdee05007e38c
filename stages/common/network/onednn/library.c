/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads oneDNN when the first network is made. */
#include "library.h"

#include "stages/common/network/network.h"

#include <dlfcn.h>

SlDnnl sl_dnnl;

/* Its threads are OpenMP's, which read their settings when the library is loaded. Asked to be
 * passive they sleep between two operations of a network, which costs more than it saves; with
 * OpenMP's default they turn for milliseconds while nobody has work for them, and take the
 * processor away from the loader and from other stages. So they turn for some microseconds. */
static void
have_threads_sleep_soon (void)
{
  if (g_getenv ("OMP_WAIT_POLICY") == NULL)
    g_setenv ("GOMP_SPINCOUNT", "1000", FALSE);
}

#ifdef __SANITIZE_ADDRESS__
/* The leak sanitizer falls over OpenMP's threads as it stops them, so where they may be it looks
 * for no leaks; it asks here. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return sl_dnnl.dnnl_engine_create != NULL;
}
#endif

static gpointer
load (gpointer unused)
{
  have_threads_sleep_soon ();
  void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return g_strdup (dlerror ());
#define FIND(function)                                                                             \
  sl_dnnl.function = (__typeof__ (sl_dnnl.function)) dlsym (handle, #function);                    \
  if (sl_dnnl.function == NULL)                                                                    \
    return g_strdup (dlerror ());
  COMMON (FIND)
  OPERATIONS (FIND)
#undef FIND
  /* Where the library is built for another kind of threads there is no such function. */
  sl_dnnl.omp_set_num_threads = (void (*) (int)) dlsym (handle, "omp_set_num_threads");
  return NULL;
}

const char *
sl_network_load (void)
{
  return sl_dnnl_load ();
}

const char *
sl_dnnl_load (void)
{
  static GOnce once = G_ONCE_INIT;
  return g_once (&once, load, NULL);
}
