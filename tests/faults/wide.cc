// SPDX-License-Identifier: GPL-3.0-or-later
// wide N: an Arrow stream of N answers to one item, each by an annotator of its own and of a class
// of its own.
#include <arrow/array/builder_binary.h>
#include <arrow/io/stdio.h>
#include <arrow/ipc/api.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>

#include <cstdio>
#include <cstdlib>
#include <string>

static arrow::Status
write (int64_t n)
{
  arrow::StringBuilder item, annotator, answer;
  std::string classes = "[";
  for (int64_t i = 0; i < n; i++)
    {
      auto name = std::to_string (i);
      ARROW_RETURN_NOT_OK (item.Append ("x"));
      ARROW_RETURN_NOT_OK (annotator.Append ("w" + name));
      ARROW_RETURN_NOT_OK (answer.Append (name));
      classes += (i > 0 ? ",\"" : "\"") + name + "\"";
    }
  auto metadata = arrow::key_value_metadata ({ "softlabel.table", "softlabel.classes" },
                                             { "annotations", classes + "]" });
  auto schema = arrow::schema ({ arrow::field ("item", arrow::utf8 ()),
                                 arrow::field ("annotator", arrow::utf8 ()),
                                 arrow::field ("class", arrow::utf8 ()) },
                               metadata);
  arrow::ArrayVector columns (3);
  ARROW_RETURN_NOT_OK (item.Finish (&columns[0]));
  ARROW_RETURN_NOT_OK (annotator.Finish (&columns[1]));
  ARROW_RETURN_NOT_OK (answer.Finish (&columns[2]));
  arrow::io::StdoutStream out;
  ARROW_ASSIGN_OR_RAISE (auto writer, arrow::ipc::MakeStreamWriter (&out, schema));
  ARROW_RETURN_NOT_OK (writer->WriteRecordBatch (*arrow::RecordBatch::Make (schema, n, columns)));
  return writer->Close ();
}

int
main (int argc, char **argv)
{
  auto status = argc < 2 ? arrow::Status::Invalid ("usage: wide N") : write (std::atoll (argv[1]));
  if (!status.ok ())
    std::fprintf (stderr, "wide: %s\n", status.ToString ().c_str ());
  return status.ok () ? 0 : 1;
}
