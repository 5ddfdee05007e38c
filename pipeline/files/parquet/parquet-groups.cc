// SPDX-License-Identifier: GPL-3.0-or-later
#include "parquet-groups.h"

#include <arrow/table.h>
#include <arrow/util/future.h>
#include <arrow/util/thread_pool.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <deque>

namespace
{
using Batch = std::shared_ptr<arrow::RecordBatch>;
using Columns = arrow::ArrayVector;

// Row groups that are read before they are asked for, where there are threads for it.
const size_t most_ahead = 2;

// What is read of a row group at a time: one column of lists or texts, or all other columns.
struct Part
{
  int field = -1;          // -1: the other columns
  std::vector<int> leaves; // their columns in the file
};

// Its parts, each on a thread of its own if there are some.
struct Group
{
  int number;
  std::vector<arrow::Future<Columns> > parts;
};

// Whole row groups.
class GroupReader : public arrow::RecordBatchReader
{
public:
  GroupReader (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups,
               bool on_threads)
      : reader_ (std::move (reader)), groups_ (std::move (groups)), on_threads_ (on_threads)
  {
  }

  ~GroupReader () override
  {
    for (auto &group : pending_)
      for (auto &part : group.parts)
        part.Wait ();
  }

  arrow::Status
  open ()
  {
    ARROW_RETURN_NOT_OK (reader_->GetSchema (&schema_));
    const auto *file = reader_->parquet_reader ()->metadata ()->schema ();
    if (file->group_node ()->field_count () != schema_->num_fields ())
      return arrow::Status::Invalid ("the schema is of another file");
    Part others;
    for (int field = 0, leaf = 0; field < schema_->num_fields (); field++)
      {
        std::vector<int> leaves;
        const auto *root = file->group_node ()->field (field).get ();
        for (; leaf < file->num_columns () && file->GetColumnRoot (leaf) == root; leaf++)
          leaves.push_back (leaf);
        if (leaves.size () == 1
            && (sl::are_lists (*schema_->field (field), *file->Column (leaves[0]))
                || sl::are_texts (*schema_->field (field), *file->Column (leaves[0]))))
          parts_.push_back ({ field, leaves });
        else
          {
            others.leaves.insert (others.leaves.end (), leaves.begin (), leaves.end ());
            other_fields_.push_back (field);
          }
      }
    if (!other_fields_.empty ())
      parts_.push_back (others);
    return arrow::Status::OK ();
  }

  std::shared_ptr<arrow::Schema>
  schema () const override
  {
    return schema_;
  }

  arrow::Status
  ReadNext (Batch *batch) override
  {
    *batch = nullptr;
    while (begun_ < groups_.size () && pending_.size () <= (on_threads_ ? most_ahead : 0))
      begin (groups_[begun_++]);
    if (pending_.empty ())
      return arrow::Status::OK ();
    auto group = std::move (pending_.front ());
    pending_.pop_front ();
    Columns columns (static_cast<size_t> (schema_->num_fields ()));
    arrow::Status status;
    for (size_t p = 0; p < parts_.size (); p++)
      {
        auto part = group.parts[p].MoveResult (); // each is waited for, even if one has failed
        status &= part.status ();
        for (size_t i = 0; part.ok () && i < part->size (); i++)
          columns[field_of (parts_[p], i)] = (*part)[i];
      }
    ARROW_RETURN_NOT_OK (status);
    const int64_t rows
        = reader_->parquet_reader ()->metadata ()->RowGroup (group.number)->num_rows ();
    for (const auto &column : columns)
      if (column == nullptr || column->length () != rows)
        return arrow::Status::Invalid ("a column has another number of rows than its row group");
    *batch = arrow::RecordBatch::Make (schema_, rows, std::move (columns));
    return arrow::Status::OK ();
  }

private:
  size_t
  field_of (const Part &part, size_t i) const
  {
    return static_cast<size_t> (part.field >= 0 ? part.field : other_fields_[i]);
  }

  void
  begin (int number)
  {
    pending_.push_back ({ number, {} });
    for (const auto &part : parts_)
      {
        auto read = [this, number, &part] { return read_part (number, part); };
        auto future = on_threads_
                          ? arrow::DeferNotOk (arrow::internal::GetCpuThreadPool ()->Submit (read))
                          : arrow::Future<Columns>::MakeFinished (read ());
        pending_.back ().parts.push_back (std::move (future));
      }
  }

  // Null where it is for Arrow to read, and to say what is wrong with it, if anything is.
  std::shared_ptr<arrow::Array>
  read_column (int number, const Part &part) const
  {
    if (part.field < 0)
      return nullptr;
    auto group = reader_->parquet_reader ()->RowGroup (number);
    const auto &field = *schema_->field (part.field);
    if (field.type ()->id () == arrow::Type::STRING)
      return sl::read_texts (group.get (), part.leaves[0]);
    return sl::read_lists (group.get (), part.leaves[0], field);
  }

  arrow::Result<Columns>
  read_part (int number, const Part &part) const
  {
    try
      {
        if (auto column = read_column (number, part))
          return Columns{ column };
        ARROW_ASSIGN_OR_RAISE (auto table, reader_->ReadRowGroup (number, part.leaves));
        ARROW_ASSIGN_OR_RAISE (auto batch, table->CombineChunksToBatch ());
        if (batch->num_columns () != static_cast<int> (other_fields_.size ()) && part.field < 0)
          return arrow::Status::Invalid ("a row group has other columns than its file");
        return batch->columns ();
      }
    catch (const std::exception &e)
      {
        return arrow::Status::Invalid (e.what ());
      }
  }

  std::shared_ptr<parquet::arrow::FileReader> reader_;
  std::vector<int> groups_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Part> parts_;
  std::vector<int> other_fields_;
  bool on_threads_;
  size_t begun_ = 0;
  std::deque<Group> pending_;
};

// Some rows of a row group after the others. Arrow makes no batch of two groups where a list has
// a dictionary, so a group begins after the one before it has ended. Arrow ends a group in peace
// where a column has no more values, so rows are counted.
class PieceReader : public arrow::RecordBatchReader
{
public:
  PieceReader (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups)
      : reader_ (std::move (reader)), groups_ (std::move (groups))
  {
  }

  arrow::Status
  open ()
  {
    return reader_->GetSchema (&schema_);
  }

  std::shared_ptr<arrow::Schema>
  schema () const override
  {
    return schema_;
  }

  arrow::Status
  ReadNext (std::shared_ptr<arrow::RecordBatch> *batch) override
  {
    for (*batch = nullptr;; batches_.reset ())
      {
        if (batches_ == nullptr && begun_ == groups_.size ())
          return arrow::Status::OK ();
        if (batches_ == nullptr)
          {
            left_
                = reader_->parquet_reader ()->metadata ()->RowGroup (groups_[begun_])->num_rows ();
            ARROW_ASSIGN_OR_RAISE (batches_, reader_->GetRecordBatchReader ({ groups_[begun_++] }));
          }
        ARROW_RETURN_NOT_OK (batches_->ReadNext (batch));
        left_ -= *batch != nullptr ? (*batch)->num_rows () : 0;
        if (left_ < 0 || (*batch == nullptr && left_ > 0))
          return arrow::Status::Invalid ("a row group has another number of rows than it says");
        if (*batch != nullptr)
          return arrow::Status::OK ();
      }
  }

private:
  std::shared_ptr<parquet::arrow::FileReader> reader_;
  std::vector<int> groups_;
  std::shared_ptr<arrow::Schema> schema_;
  size_t begun_ = 0;
  std::unique_ptr<arrow::RecordBatchReader> batches_; // of the last that was begun
  int64_t left_ = 0;                                  // of its rows
};

template <typename Reader>
arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
opened (std::shared_ptr<Reader> batches)
{
  ARROW_RETURN_NOT_OK (batches->open ());
  return batches;
}
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
sl::read_groups (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups,
                 bool on_threads)
{
  return opened (
      std::make_shared<GroupReader> (std::move (reader), std::move (groups), on_threads));
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
sl::read_pieces (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups)
{
  return opened (std::make_shared<PieceReader> (std::move (reader), std::move (groups)));
}
