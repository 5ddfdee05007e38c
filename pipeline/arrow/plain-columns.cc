// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain-columns.h"

#include "reading-memory.h"

#include <arrow/array/array_dict.h>
#include <arrow/array/array_nested.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>

#include <arrow-glib/arrow-glib.hpp>

using arrow::Type;

// TYPE without views; null where there is no such type.
static std::shared_ptr<arrow::DataType>
plain_type (const std::shared_ptr<arrow::DataType> &type)
{
  arrow::FieldVector fields;
  bool same = true;
  for (const auto &field : type->fields ())
    {
      auto plain = plain_type (field->type ());
      if (plain == nullptr)
        return nullptr;
      same = same && plain == field->type ();
      fields.push_back (field->WithType (plain));
    }
  switch (type->id ())
    {
    case Type::STRING_VIEW:
      return arrow::utf8 ();
    case Type::BINARY_VIEW:
      return arrow::binary ();
    case Type::LIST_VIEW:
      return arrow::list (fields[0]);
    case Type::LARGE_LIST_VIEW:
      return arrow::large_list (fields[0]);
    case Type::LIST:
      return same ? type : arrow::list (fields[0]);
    case Type::LARGE_LIST:
      return same ? type : arrow::large_list (fields[0]);
    case Type::FIXED_SIZE_LIST:
      return same ? type
                  : arrow::fixed_size_list (
                      fields[0], static_cast<arrow::FixedSizeListType &> (*type).list_size ());
    case Type::STRUCT:
      return same ? type : arrow::struct_ (fields);
    case Type::DICTIONARY:
      {
        const auto &dictionary = static_cast<arrow::DictionaryType &> (*type);
        auto value = plain_type (dictionary.value_type ());
        if (value == nullptr || value == dictionary.value_type ())
          return value == nullptr ? nullptr : type;
        return arrow::dictionary (dictionary.index_type (), value, dictionary.ordered ());
      }
    case Type::EXTENSION:
      {
        const auto &storage = static_cast<arrow::ExtensionType &> (*type).storage_type ();
        return plain_type (storage) == storage ? type : nullptr;
      }
    default:
      return same ? type : nullptr;
    }
}

// FIELD of plain_type(); its type is null where there is none. Tensors become the lists that they
// are stored as, and the field's metadata tells what they are, as it does in a file: so they are
// the same to what comes next wherever Arrow does not know their type.
static std::shared_ptr<arrow::Field>
plain_field (const std::shared_ptr<arrow::Field> &field)
{
  if (field->type ()->id () != Type::EXTENSION)
    return field->WithType (plain_type (field->type ()));
  const auto &extension = static_cast<const arrow::ExtensionType &> (*field->type ());
  if (extension.extension_name () != "arrow.fixed_shape_tensor")
    return field->WithType (plain_type (field->type ()));
  auto metadata
      = arrow::key_value_metadata ({ "ARROW:extension:name", "ARROW:extension:metadata" },
                                   { extension.extension_name (), extension.Serialize () });
  return field->WithType (plain_type (extension.storage_type ()))->WithMetadata (metadata);
}

using ArrayResult = arrow::Result<std::shared_ptr<arrow::Array> >;

// ARRAY, which is valid, as plain_type() of its type.
static ArrayResult
plain_array (std::shared_ptr<arrow::Array> array, const std::shared_ptr<arrow::DataType> &type)
{
  if (array->type ()->Equals (*type))
    return array;
  const auto id = array->type_id ();
  auto *pool = sl_reading_pool ();
  if (id == Type::STRING_VIEW || id == Type::BINARY_VIEW)
    {
      arrow::compute::ExecContext context (pool);
      return arrow::compute::Cast (*array, type, arrow::compute::CastOptions::Safe (), &context);
    }
  if (id == Type::LIST_VIEW)
    {
      const auto &views = static_cast<arrow::ListViewArray &> (*array);
      ARROW_ASSIGN_OR_RAISE (array, arrow::ListArray::FromListView (views, pool));
    }
  if (id == Type::LARGE_LIST_VIEW)
    {
      const auto &views = static_cast<arrow::LargeListViewArray &> (*array);
      ARROW_ASSIGN_OR_RAISE (array, arrow::LargeListArray::FromListView (views, pool));
    }
  auto data = array->data ()->Copy ();
  data->type = type;
  for (size_t i = 0; i < data->child_data.size (); i++)
    {
      ARROW_ASSIGN_OR_RAISE (auto child, plain_array (arrow::MakeArray (data->child_data[i]),
                                                      type->field (static_cast<int> (i))->type ()));
      data->child_data[i] = child->data ();
    }
  if (data->dictionary != nullptr)
    {
      const auto &value = static_cast<const arrow::DictionaryType &> (*type).value_type ();
      ARROW_ASSIGN_OR_RAISE (auto dictionary,
                             plain_array (arrow::MakeArray (data->dictionary), value));
      data->dictionary = dictionary->data ();
    }
  return arrow::MakeArray (data);
}

// Of each column that is kept, its place in SCHEMA.
static std::vector<int>
kept_columns (const arrow::Schema &schema)
{
  std::vector<int> columns;
  for (int i = 0; i < schema.num_fields (); i++)
    if (plain_field (schema.field (i))->type () != nullptr)
      columns.push_back (i);
  return columns;
}

GArrowSchema *
sl_plain_schema (GArrowSchema *schema)
{
  const auto raw = garrow_schema_get_raw (schema);
  arrow::FieldVector fields;
  bool same = true;
  for (const auto &field : raw->fields ())
    {
      auto plain = plain_field (field);
      same = same && plain->type () == field->type ();
      if (plain->type () != nullptr)
        fields.push_back (plain);
    }
  if (same)
    return nullptr;
  auto result = arrow::schema (fields, raw->metadata ());
  return garrow_schema_new_raw (&result);
}

static arrow::Result<std::shared_ptr<arrow::RecordBatch> >
plain_batch (const arrow::RecordBatch &raw, const std::shared_ptr<arrow::Schema> &schema)
{
  arrow::ArrayVector arrays;
  for (int i : kept_columns (*raw.schema ()))
    {
      auto array = raw.column (i);
      const auto &type = schema->field (static_cast<int> (arrays.size ()))->type ();
      if (!array->type ()->Equals (*type))
        ARROW_RETURN_NOT_OK (array->ValidateFull ());
      ARROW_ASSIGN_OR_RAISE (array, plain_array (array, type));
      arrays.push_back (array);
    }
  return arrow::RecordBatch::Make (schema, raw.num_rows (), arrays);
}

GArrowRecordBatch *
sl_plain_batch (GArrowRecordBatch *batch, GArrowSchema *schema, GError **error)
{
  if (schema == nullptr)
    return GARROW_RECORD_BATCH (g_object_ref (batch));
  auto plain = plain_batch (*garrow_record_batch_get_raw (batch), garrow_schema_get_raw (schema));
  if (!garrow::check (error, plain, "plain columns"))
    return nullptr;
  return garrow_record_batch_new_raw (&*plain);
}
