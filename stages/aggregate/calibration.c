/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration.h"

#include "pipeline/base/json.h"
#include "pipeline/command/provenance.h"
#include "schemas/kinds.h"
#include "stages/common/methods/posterior.h"

#include <math.h>

gboolean
sl_calibration_read (const SlAggregation *aggregation, char *const *classes,
                     SlCalibration *calibration, SlAuto *decided, GError **error)
{
  static const SlKind *const kinds[] = { &sl_labels, NULL };
  const char *method = aggregation->method->name;
  g_autoptr (SlReader) reader
      = sl_run_open (aggregation->run, "calibrate", aggregation->options->calibrate, kinds, error);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  if (reader == NULL)
    return FALSE;
  *calibration = (SlCalibration){ .power = NAN };
  const char *const *of_sample = (const char *const *) sl_reader_table (reader)->classes;
  if (!g_strv_equal (of_sample, (const char *const *) classes))
    return sl_error_bad_input (error,
                               "%s: its classes are not those of the answers, in their order; a "
                               "sample is some of the answers",
                               sl_reader_name (reader));
  const char *history = sl_reader_table (reader)->provenance;
  SlJson stages = { 0 }, last = { 0 };
  if (history != NULL && sl_provenance_read (parser, history, &stages))
    for (SlJsonEach each = sl_json_each (stages); sl_json_each_next (&each);)
      last = each.value;
  SlJson found = sl_json_get (last, "found");
  calibration->correlation = sl_json_number (sl_json_get (found, "correlation"));
  calibration->power = sl_json_number (sl_json_get (found, "power"));
  const char *by = sl_json_c_str (sl_json_get (sl_json_get (last, "options"), "method"));
  gboolean sampled = aggregation->method->flags & SL_METHOD_SAMPLED;
  if (g_strcmp0 (by, method) == 0
      && (sampled ? sl_auto_decided (found, decided)
                  : calibration->correlation >= 0 && calibration->power > 0))
    return TRUE;
  return sl_error_bad_input (error,
                             "%s: its history does not end with `aggregate --method %s%s, "
                             "which tells how sure labels are to be",
                             sl_reader_name (reader), method,
                             sampled ? "` of votes" : " --calibrate`");
}

/* The share of the votes, as a method that may be fitted to some of the answers. */
static gboolean
fit_shares (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  sl_posterior_shares (items, settings);
  return TRUE;
}

gboolean
sl_calibration_choose (const SlAggregation *aggregation, const SlItems *items,
                       const SlAnswers *answers, GString *found, SlCalibration *calibration,
                       GError **error)
{
  const SlMethod *method = aggregation->method;
  SlCalibrate kind
      = method->flags & SL_METHOD_SHARES ? SL_CALIBRATE_SHARES : SL_CALIBRATE_POSTERIORS;
  if (!sl_aggregate_calibrates_as (aggregation->options)
      && !sl_calibration_find (method->fit != NULL ? method->fit : fit_shares, kind, items, answers,
                               &aggregation->settings, calibration, error))
    return FALSE;
  g_autofree char *by
      = sl_aggregate_calibrates_as (aggregation->options)
            ? g_strdup_printf ("as %s is", aggregation->options->calibrate)
            : g_strdup_printf ("%" G_GINT64_FORMAT " predicted, mean log-probability %.4f",
                               calibration->n_predicted, calibration->predicted);
  sl_run_note (aggregation->run, "calibrated: correlation of answers %.3f, power %.3f; %s",
               calibration->correlation, calibration->power, by);
  sl_json_member (found, "correlation");
  sl_json_real (found, calibration->correlation);
  sl_json_member (found, "power");
  sl_json_real (found, calibration->power);
  return TRUE;
}
