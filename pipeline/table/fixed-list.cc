/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fixed-list.h"

#include <arrow/array/array_nested.h>

#include <arrow-glib/arrow-glib.hpp>

GArrowArray *
sl_fixed_list_array_new (GArrowArray *values, GArrowDataType *type, gint64 n)
{
  std::shared_ptr<arrow::Array> array = std::make_shared<arrow::FixedSizeListArray> (
      garrow_data_type_get_raw (type), n, garrow_array_get_raw (values));
  return garrow_array_new_raw (&array);
}

gint32
sl_fixed_list_size (GArrowDataType *type)
{
  return static_cast<const arrow::FixedSizeListType &> (*garrow_data_type_get_raw (type))
      .list_size ();
}
