/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of sl_types[] are made of, by file. */
#pragma once

#include "types.h"

/* type-values.c: COLUMN's pointers are set to the values of its array, which is canonical. */
void sl_point_text (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_classes (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_choices (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_label (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_fixed (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_bool (SlBatch *batch, int column, const struct ArrowArray *array);
void sl_point_tensor (SlBatch *batch, int column, const struct ArrowArray *array);

/* builder-take.c: what a builder has of COLUMN becomes an array. */
void sl_take_text (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_class (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_classes (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_choices (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_bool (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_numbers (SlBuilder *builder, int column, struct ArrowArray *out);
void sl_take_fixed_list (SlBuilder *builder, int column, struct ArrowArray *out);

/* The values of a column of SL_STORAGE_FIXED. */
gconstpointer sl_values_of (const SlBatch *batch, int column);

gboolean sl_is_missing_class (const SlColumn *values, gint64 row);
gboolean sl_is_missing_list (const SlColumn *values, gint64 row);
gboolean sl_is_missing_real (const SlColumn *values, gint64 row);
gboolean sl_is_missing_float32 (const SlColumn *values, gint64 row);

void sl_copy_text (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_value (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_classes (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_choices (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_label (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
void sl_copy_tensor (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);

int sl_compare_text (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_fixed (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_classes (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
int sl_compare_choices (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);

void sl_map_class (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);
void sl_map_classes (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);
void sl_map_choices (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);
void sl_map_label (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);

/* digest.c */
void sl_digest_text (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_class (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_fixed (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_classes (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_choices (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_real (SlColumnDigest *digest, const SlBatch *batch, int column);
void sl_digest_float32 (SlColumnDigest *digest, const SlBatch *batch, int column);

/* type-text.c */
void sl_csv_names_label (GString *out, const SlTable *table, int column);
void sl_csv_names_tensor (GString *out, const SlTable *table, int column);
void sl_csv_text (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_class (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_classes (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_choices (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_label (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_bool (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_integer (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_real (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_float32 (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_tensor (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_csv_binary (GString *out, const SlBatch *batch, int column, gint64 row);

void sl_json_of_text (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_class (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_classes (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_choices (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_label (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_real (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_float32 (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_tensor (GString *out, const SlBatch *batch, int column, gint64 row);
void sl_json_of_binary (GString *out, const SlBatch *batch, int column, gint64 row);

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

/* canonical.c */
GArrowArray *sl_canonical_plain (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_text (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_class (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_list (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_label (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_tensor (GArrowArray *array, const SlCanonical *context, GError **error);
