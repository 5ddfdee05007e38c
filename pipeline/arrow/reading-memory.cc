// SPDX-License-Identifier: GPL-3.0-or-later
#include "reading-memory.h"

#include "pipeline/base/error.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/exec.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <atomic>
#include <unistd.h>

// What a batch may take by itself, and for each byte that it is read from.
static const int64_t batch_bytes = int64_t (1) << 30;
static const int64_t batch_times = 8;

// A few batches, on their way from one thread to another: less than that cannot be asked of any
// reader.
static const int64_t least_bytes = int64_t (32) << 20;

static const int64_t unlimited = INT64_MAX;

namespace
{
class ReadingPool final : public arrow::MemoryPool
{
public:
  // TOTAL bytes in place of BEFORE.
  bool refuses (int64_t before, int64_t total)
  {
    int64_t held = held_.fetch_add (total - before) + total - before;
    if (total <= before || held <= most)
      return false;
    held_ -= total - before;
    refused = std::max<int64_t> (refused, total);
    return true;
  }

  arrow::Status Allocate (int64_t size, int64_t alignment, uint8_t **out) override
  {
    if (refuses (0, size))
      return arrow::Status::OutOfMemory ("a batch is too large");
    auto status = pool_->Allocate (size, alignment, out);
    if (!status.ok ())
      held_ -= size;
    return status;
  }

  arrow::Status Reallocate (int64_t before, int64_t size, int64_t alignment,
                            uint8_t **memory) override
  {
    if (refuses (before, size))
      return arrow::Status::OutOfMemory ("a batch is too large");
    auto status = pool_->Reallocate (before, size, alignment, memory);
    if (!status.ok ())
      held_ -= size - before;
    return status;
  }

  void Free (uint8_t *memory, int64_t size, int64_t alignment) override
  {
    pool_->Free (memory, size, alignment);
    held_ -= size;
  }

  int64_t bytes_allocated () const override { return held_; }

  int64_t total_bytes_allocated () const override { return pool_->total_bytes_allocated (); }

  int64_t num_allocations () const override { return pool_->num_allocations (); }

  std::string backend_name () const override { return pool_->backend_name (); }

  std::atomic<int64_t> most = unlimited; // bytes held
  std::atomic<int64_t> refused = 0;

private:
  arrow::MemoryPool *pool_ = arrow::default_memory_pool ();
  std::atomic<int64_t> held_ = 0;
};
}

// What was said; -1: nothing.
static int64_t said = -1;

// Never freed: buffers may outlive everything else.
static ReadingPool *
reading_pool ()
{
  static auto *pool = new ReadingPool ();
  return pool;
}

arrow::MemoryPool *
sl_reading_pool ()
{
  return reading_pool ();
}

void
sl_reading_set_most (gint64 bytes)
{
  said = bytes > 0 ? std::max (bytes, least_bytes) : bytes;
  reading_pool ()->refused = 0;
  sl_reading_begin ();
}

gint64
sl_reading_most (void)
{
  return said > 0 ? said : said == 0 ? unlimited : batch_bytes;
}

void
sl_reading_begin (void)
{
  auto *pool = reading_pool ();
  pool->most = said < 0 ? pool->bytes_allocated () + batch_bytes : sl_reading_most ();
}

void
sl_reading_arrived (gint64 bytes)
{
  if (said < 0)
    reading_pool ()->most += batch_times * bytes;
}

void
sl_reading_tell (GError **error)
{
  const int64_t refused = reading_pool ()->refused;
  const int64_t machine = int64_t (sysconf (_SC_PHYS_PAGES)) * sysconf (_SC_PAGESIZE);
  if (refused == 0 || (said < 0 && refused > machine))
    return;
  g_clear_error (error);
  g_autofree char *most = g_format_size_full (sl_reading_most (), G_FORMAT_SIZE_IEC_UNITS);
  g_auto (GStrv) parts = g_strsplit (most, "\u00a0", -1); // nobody types that space
  g_autofree char *plain = g_strjoinv (" ", parts);
  g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
               said > 0 ? "--max-memory: %s is not enough to hold a batch of the table"
                        : "a batch of the table takes over %s, unpacked; --max-memory SIZE says "
                          "how much it may take (0: any size)",
               plain);
}

using ArrayResult = arrow::Result<std::shared_ptr<arrow::Array> >;

static bool
holds_list_views (const arrow::DataType &type)
{
  if (type.id () == arrow::Type::DICTIONARY)
    return holds_list_views (*static_cast<const arrow::DictionaryType &> (type).value_type ());
  return arrow::is_list_view (type)
         || std::any_of (type.fields ().begin (), type.fields ().end (),
                         [] (const auto &field) { return holds_list_views (*field->type ()); });
}

// A cast of list views leaves out the last list's end (Arrow 25).
static ArrayResult
cast (std::shared_ptr<arrow::Array> array, const std::shared_ptr<arrow::DataType> &type)
{
  auto *pool = sl_reading_pool ();
  if (const auto *extension = dynamic_cast<const arrow::ExtensionArray *> (array.get ()))
    array = extension->storage ();
  if (const auto *views = dynamic_cast<const arrow::ListViewArray *> (array.get ()))
    ARROW_RETURN_NOT_OK (arrow::ListArray::FromListView (*views, pool).Value (&array));
  if (const auto *views = dynamic_cast<const arrow::LargeListViewArray *> (array.get ()))
    ARROW_RETURN_NOT_OK (arrow::LargeListArray::FromListView (*views, pool).Value (&array));
  if (holds_list_views (*array->type ()))
    return arrow::Status::NotImplemented ("views of lists in other types");
  arrow::compute::ExecContext context (pool);
  return arrow::compute::Cast (*array, type, arrow::compute::CastOptions::Safe (), &context);
}

GArrowArray *
sl_reading_cast (GArrowArray *array, GArrowDataType *type, GError **error)
{
  auto result = cast (garrow_array_get_raw (array), garrow_data_type_get_raw (type));
  return garrow::check (error, result, "cast") ? garrow_array_new_raw (&*result) : nullptr;
}

static arrow::Result<std::shared_ptr<arrow::RecordBatch> >
cast_batch (const arrow::RecordBatch &batch, const std::shared_ptr<arrow::Schema> &schema)
{
  auto columns = batch.columns ();
  for (size_t i = 0; i < columns.size (); i++)
    if (const auto &type = schema->field (static_cast<int> (i))->type ();
        !columns[i]->type ()->Equals (*type))
      {
        ARROW_RETURN_NOT_OK (columns[i]->ValidateFull ());
        auto plain = cast (columns[i], type);
        if (plain.status ().IsNotImplemented ())
          plain = arrow::MakeArrayOfNull (type, batch.num_rows (), sl_reading_pool ());
        ARROW_ASSIGN_OR_RAISE (columns[i], plain);
      }
  return arrow::RecordBatch::Make (schema, batch.num_rows (), columns);
}

GArrowRecordBatch *
sl_reading_cast_batch (GArrowRecordBatch *batch, GArrowSchema *schema, GError **error)
{
  auto result = cast_batch (*garrow_record_batch_get_raw (batch), garrow_schema_get_raw (schema));
  return garrow::check (error, result, "cast") ? garrow_record_batch_new_raw (&*result) : nullptr;
}
