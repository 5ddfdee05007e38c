// SPDX-License-Identifier: GPL-3.0-or-later
#include "table-text.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/text/made-source.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>

#include <arrow-glib/arrow-glib.hpp>
#include <json-glib/json-glib.h>

#include <memory>
#include <string>
#include <vector>

// No other file of C++ needs these.
extern "C"
{
#include "pipeline/files/reader.h"
#include "pipeline/table/types/types.h"
}

using arrow::Type;

namespace
{
// One column of a batch, or what is inside of one.
struct Column
{
  std::shared_ptr<arrow::Array> array;
  std::shared_ptr<arrow::StringArray> text; // where it is neither a real nor nested
  std::vector<Column> inside;               // members of a list: one; of a struct: each
};

struct TableText
{
  SlReader *reader;
  std::shared_ptr<arrow::Schema> schema;
  std::vector<int> columns; // those that have texts
  bool begun = false;
};
}

// Makes COLUMN of ARRAY; fails where that has no text.
static arrow::Status
prepare (const std::shared_ptr<arrow::Array> &array, Column *column)
{
  column->array = array;
  switch (array->type_id ())
    {
    case Type::DOUBLE:
    case Type::FLOAT:
    case Type::NA:
      return arrow::Status::OK ();
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::FIXED_SIZE_LIST:
      {
        auto values = array->type_id () == Type::LIST
                          ? static_cast<const arrow::ListArray &> (*array).values ()
                      : array->type_id () == Type::LARGE_LIST
                          ? static_cast<const arrow::LargeListArray &> (*array).values ()
                          : static_cast<const arrow::FixedSizeListArray &> (*array).values ();
        column->inside.resize (1);
        return prepare (values, &column->inside[0]);
      }
    case Type::STRUCT:
      {
        const auto &fields = static_cast<const arrow::StructArray &> (*array);
        column->inside.resize (static_cast<size_t> (fields.num_fields ()));
        for (int i = 0; i < fields.num_fields (); i++)
          ARROW_RETURN_NOT_OK (
              prepare (fields.field (i), &column->inside[static_cast<size_t> (i)]));
        return arrow::Status::OK ();
      }
    case Type::DICTIONARY:
      {
        const auto &type = static_cast<const arrow::DictionaryType &> (*array->type ());
        ARROW_ASSIGN_OR_RAISE (auto plain, arrow::compute::Cast (*array, type.value_type ()));
        return prepare (plain, column);
      }
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::FIXED_SIZE_BINARY:
      return arrow::Status::TypeError ("bytes");
    default:
      {
        ARROW_ASSIGN_OR_RAISE (auto text, arrow::compute::Cast (*array, arrow::utf8 ()));
        column->text = std::static_pointer_cast<arrow::StringArray> (text);
        return arrow::Status::OK ();
      }
    }
}

static void append (const Column &column, int64_t row, bool inside, std::string *out);

static void
append_range (const Column &values, int64_t from, int64_t to, std::string *out)
{
  for (int64_t i = from; i < to; i++)
    {
      if (i > from)
        out->push_back ('|');
      append (values, i, true, out);
    }
}

// Appends the text of ROW; nothing where it is missing. INSIDE: of a list or struct.
static void
append (const Column &column, int64_t row, bool inside, std::string *out)
{
  const auto &array = *column.array;
  if (array.IsNull (row) || array.type_id () == Type::NA)
    return;
  if (array.type_id () == Type::DOUBLE || array.type_id () == Type::FLOAT)
    {
      char text[SL_REAL_CHARS];
      gsize n
          = array.type_id () == Type::DOUBLE
                ? sl_format_real (text, static_cast<const arrow::DoubleArray &> (array).Value (row))
                : sl_format_float32 (text,
                                     static_cast<const arrow::FloatArray &> (array).Value (row));
      out->append (text, n);
    }
  else if (array.type_id () == Type::LIST)
    {
      const auto &list = static_cast<const arrow::ListArray &> (array);
      append_range (column.inside[0], list.value_offset (row), list.value_offset (row + 1), out);
    }
  else if (array.type_id () == Type::LARGE_LIST)
    {
      const auto &list = static_cast<const arrow::LargeListArray &> (array);
      append_range (column.inside[0], list.value_offset (row), list.value_offset (row + 1), out);
    }
  else if (array.type_id () == Type::FIXED_SIZE_LIST)
    {
      const auto &list = static_cast<const arrow::FixedSizeListArray &> (array);
      append_range (column.inside[0], list.value_offset (row), list.value_offset (row + 1), out);
    }
  else if (array.type_id () == Type::STRUCT)
    {
      bool any = false;
      for (const auto &field : column.inside)
        if (!field.array->IsNull (row))
          {
            if (any)
              out->push_back (':');
            any = true;
            append (field, row, true, out);
          }
    }
  else if (inside)
    {
      auto text = column.text->GetView (row);
      g_autoptr (GString) member = g_string_new (nullptr);
      sl_csv_append_member (member, text.data (), text.size ());
      out->append (member->str, member->len);
    }
  else
    out->append (column.text->GetView (row));
}

// The columns of SCHEMA that have texts.
static std::vector<int>
find_columns (const arrow::Schema &schema)
{
  std::vector<int> columns;
  for (int i = 0; i < schema.num_fields (); i++)
    {
      Column column;
      auto none = arrow::MakeArrayOfNull (schema.field (i)->type (), 0);
      if (none.ok () && prepare (*none, &column).ok ())
        columns.push_back (i);
    }
  return columns;
}

static gboolean
append_header (TableText *table, GString *text)
{
  bool first = true;
  for (int i : table->columns)
    {
      const std::string &name = table->schema->field (i)->name ();
      if (!first)
        g_string_append_c (text, ',');
      first = false;
      sl_csv_append_field (text, name.data (), name.size ());
    }
  g_string_append_c (text, '\n');
  table->begun = true;
  return TRUE;
}

static arrow::Status
append_batch (const TableText *table, const arrow::RecordBatch &batch, GString *text)
{
  std::vector<Column> columns (table->columns.size ());
  std::string cell;
  for (size_t c = 0; c < columns.size (); c++)
    ARROW_RETURN_NOT_OK (prepare (batch.column (table->columns[c]), &columns[c]));
  for (int64_t row = 0; row < batch.num_rows (); row++)
    {
      for (size_t c = 0; c < columns.size (); c++)
        {
          if (c > 0)
            g_string_append_c (text, ',');
          cell.clear ();
          append (columns[c], row, false, &cell);
          sl_csv_append_field (text, cell.data (), cell.size ());
        }
      g_string_append_c (text, '\n');
    }
  return arrow::Status::OK ();
}

static gboolean
more (gpointer data, GString *text, GError **error)
{
  auto *table = static_cast<TableText *> (data);
  if (!table->begun)
    return append_header (table, text);
  while (text->len == 0)
    {
      g_autoptr (GArrowRecordBatch) raw = nullptr;
      if (!sl_reader_next_raw (table->reader, &raw, error))
        return FALSE;
      if (raw == nullptr)
        return TRUE;
      auto batch = garrow_record_batch_get_raw (raw);
      auto valid = batch->ValidateFull ();
      auto status = valid.ok () ? append_batch (table, *batch, text) : valid;
      if (!status.ok ())
        {
          g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: is damaged",
                       sl_reader_name (table->reader));
          return FALSE;
        }
    }
  return TRUE;
}

static void
table_free (gpointer data)
{
  auto *table = static_cast<TableText *> (data);
  sl_reader_free (table->reader);
  delete table;
}

SlSource *
sl_table_text_open (const char *path, int threads, GError **error)
{
  static const SlSourceMaker maker = { more, table_free };
  g_autoptr (GArrowSchema) schema = nullptr;
  SlReader *reader = sl_reader_open_raw (path, threads, &schema, error);
  if (reader == nullptr)
    return nullptr;
  auto *table = new TableText;
  table->reader = reader;
  table->schema = garrow_schema_get_raw (schema);
  table->columns = find_columns (*table->schema);
  return sl_source_new_made (sl_reader_name (reader), &maker, table);
}

// The texts of a JSON array; NULL where it is none.
static char **
parse_names (const std::string &json)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  if (!json_parser_load_from_data (parser, json.data (), static_cast<gssize> (json.size ()),
                                   nullptr))
    return nullptr;
  JsonNode *root = json_parser_get_root (parser);
  if (root == nullptr || !JSON_NODE_HOLDS_ARRAY (root))
    return nullptr;
  JsonArray *array = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
        return nullptr;
      g_strv_builder_add (names, json_node_get_string (node));
    }
  return g_strv_builder_end (names);
}

// The texts of an ordered dictionary, in its order; NULL where FIELD's column is none.
static char **
dictionary_names (SlReader *reader, const arrow::Schema &schema, int field)
{
  g_autoptr (GArrowRecordBatch) raw = nullptr;
  const auto &type = *schema.field (field)->type ();
  if (type.id () != Type::DICTIONARY
      || !static_cast<const arrow::DictionaryType &> (type).ordered ()
      || !sl_reader_next_raw (reader, &raw, nullptr) || raw == nullptr)
    return nullptr;
  auto array = garrow_record_batch_get_raw (raw)->column (field);
  Column names;
  if (!array->ValidateFull ().ok ()
      || !prepare (static_cast<const arrow::DictionaryArray &> (*array).dictionary (), &names)
              .ok ())
    return nullptr;
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  for (int64_t i = 0; i < names.array->length (); i++)
    {
      std::string name;
      append (names, i, false, &name);
      g_strv_builder_add (all, name.c_str ());
    }
  return g_strv_builder_end (all);
}

gboolean
sl_table_text_classes (const char *path, const char *column, int threads, char ***classes,
                       GError **error)
{
  g_autoptr (GArrowSchema) given = nullptr;
  g_autoptr (SlReader) reader = sl_reader_open_raw (path, threads, &given, error);
  *classes = nullptr;
  if (reader == nullptr)
    return FALSE;
  auto schema = garrow_schema_get_raw (given);
  const auto &metadata = schema->metadata ();
  auto own = metadata != nullptr ? metadata->Get ("softlabel.classes")
                                 : arrow::Result<std::string> (arrow::Status::KeyError (""));
  if (own.ok ())
    *classes = parse_names (*own);
  int field = column != nullptr ? schema->GetFieldIndex (column) : -1;
  if (*classes == nullptr && field >= 0)
    *classes = dictionary_names (reader, *schema, field);
  return TRUE;
}
