/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of sl_types[] are made of, by file. */
#pragma once

#include "types.h"

/* type-point.c: COLUMN's pointers are set to the values of its array, which is canonical. */
void sl_point_text (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_class (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_classes (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_choices (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_label (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_bool (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_int32 (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_int64 (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_real (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_float32 (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_tensor (SlBatch *batch, int column, const struct ArrowArray *array);

/* builder-take.c: what a builder has of COLUMN becomes an array. */
void sl_take_text (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_class (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_classes (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_choices (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_bool (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_numbers (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_fixed_list (SlBuilder *builder, int column, struct ArrowArray *out);

/* type-values.c: single values. */
gboolean sl_is_missing_class (const SlColumn *values, gint64 row);
gboolean sl_is_missing_list (const SlColumn *values, gint64 row);
gboolean sl_is_missing_real (const SlColumn *values, gint64 row);
gboolean sl_is_missing_float32 (const SlColumn *values, gint64 row);

void sl_copy_text (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_class (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_classes (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_choices (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_label (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_bool (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_int32 (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_int64 (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_real (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_float32 (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_tensor (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);

int sl_compare_text (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_class (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_classes (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_choices (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_label (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_bool (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_int32 (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_int64 (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_real (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_float32 (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_tensor (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);

void sl_map_class (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);
void sl_map_classes (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);
void sl_map_choices (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);
void sl_map_label (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);

/* digest.c */
void sl_digest_text (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_class (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_classes (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_choices (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_label (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_bool (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_int32 (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_int64 (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_real (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_float32 (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_tensor (SlColumnDigest *digest, const SlBatch *batch, int column);

/* type-csv.c */
void sl_csv_names_label (GString *out, const SlTable *table, int column);
void sl_csv_names_tensor (GString *out, const SlTable *table, int column);
void sl_csv_text (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_class (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_classes (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_choices (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_label (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_bool (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_int32 (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_int64 (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_real (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_float32 (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_tensor (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_binary (GString *out, const SlBatch *batch, int column, gint64 row);

/* type-json.c; what JSON and CSV write alike is in type-csv.c. */
void sl_json_of_text (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_class (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_classes (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_choices (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_label (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_real (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_float32 (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_tensor (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_binary (GString *out, const SlBatch *batch, int column, gint64 row);

/* type-read.c: values of texts. */
char *sl_read_text (const SlTextRow *to, int column, char *const *field);
char *sl_read_class (const SlTextRow *to, int column, char *const *field);
char *sl_read_classes (const SlTextRow *to, int column, char *const *field);
char *sl_read_choices (const SlTextRow *to, int column, char *const *field);
char *sl_read_label (const SlTextRow *to, int column, char *const *field);
char *sl_read_bool (const SlTextRow *to, int column, char *const *field);
char *sl_read_integer (const SlTextRow *to, int column, char *const *field);
char *sl_read_real (const SlTextRow *to, int column, char *const *field);
char *sl_read_float32 (const SlTextRow *to, int column, char *const *field);
char *sl_read_binary (const SlTextRow *to, int column, char *const *field);
