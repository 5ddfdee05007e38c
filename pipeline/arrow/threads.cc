/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "threads.h"

#include "pipeline/base/process/shortage.h"

#include <arrow/extension_type.h>
#include <arrow/util/thread_pool.h>

#include <exception>
#include <system_error>

static void
end ()
{
  try
    {
      std::rethrow_exception (std::current_exception ());
    }
  catch (const std::bad_alloc &)
    {
      sl_shortage_end ("not enough memory");
    }
  catch (const std::system_error &)
    {
      sl_shortage_end ("no further thread can be started (-j 1 needs fewer)");
    }
  catch (const std::exception &e)
    {
      sl_shortage_end (e.what ());
    }
  catch (...)
    {
      sl_shortage_end ("a library has failed");
    }
}

void
sl_arrow_init (void)
{
  std::set_terminate (end);
  /* Arrow GLib has no class for tensors: they stay the lists that they are stored as, and their
   * field's metadata says what they are. */
  (void) arrow::UnregisterExtensionType ("arrow.fixed_shape_tensor");
}

void
sl_arrow_set_threads (int threads)
{
  (void) arrow::SetCpuThreadPoolCapacity (threads);
}
