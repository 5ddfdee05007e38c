// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arrow/result.h>

#include <new>

namespace sl
{
// What STEP returns: a status, or a result. It may throw, as C++ and Parquet's library do.
template <typename Step>
auto
guarded (Step step) -> decltype (step ())
{
  try
    {
      return step ();
    }
  catch (const std::bad_alloc &)
    {
      return arrow::Status::OutOfMemory ("not enough memory");
    }
  catch (const std::exception &e)
    {
      return arrow::Status::Invalid (e.what ());
    }
}
}
