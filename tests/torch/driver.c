/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network run from outside, for comparison with PyTorch:
 *
 *   driver names MODEL K C H W           one line a parameter: its name and its dimensions
 *   driver size MODEL K C H W N          its parameters, multiply-adds, bytes of either use
 *   driver run MODEL K C H W N PRECISION
 *     from stdin, in float32: all parameters in that order, inputs [N][C][H][W], the gradient with
 *     respect to the logits [N][K]; to stdout: the logits outside of training, those in training,
 *     all gradients (0 for running means and variances), all parameters as training left them, and
 *     the gradient with respect to the input
 *   driver shares MODEL K C H W N        in float32, what shaking layers draw with the key of
 * `run`: of each, in the order of layers, the N shares forward and the N backward driver
 * train|predict MODEL K C H W N PRECISION THREADS SECONDS images a second, in training with a step
 * of SGD with momentum, and memory
 *
 * PRECISION is f32 or bf16. */
#include "pipeline/base/random.h"
#include "stages/common/network/description.h"
#include "stages/common/network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Of what is drawn in training. */
#define KEY 1

static SlNetwork *
made (const SlNetworkPlan *plan)
{
  g_autoptr (GError) error = NULL;
  SlNetwork *network = sl_network_new (plan, &error);
  if (network == NULL || !sl_network_allocate (network, &error))
    {
      fprintf (stderr, "driver: %s\n", error->message);
      exit (1);
    }
  return network;
}

static void
stop (const GError *error)
{
  fprintf (stderr, "driver: %s\n", error != NULL ? error->message : "the input ends early");
  exit (1);
}

static void
names (const SlNetworkPlan *plan)
{
  g_autoptr (SlNetwork) network = made (plan);
  int n;
  SlParameter *parameters = sl_network_parameters (network, &n);
  for (int i = 0; i < n; i++)
    {
      printf ("%s", parameters[i].name);
      for (int j = 0; j < parameters[i].n_dims; j++)
        printf (" %d", (int) parameters[i].dim[j]);
      printf ("\n");
    }
}

static void
print_size (const SlNetworkPlan *plan)
{
  g_autoptr (GError) error = NULL;
  SlNetworkSize size;
  if (!sl_network_size (plan, &size, &error))
    stop (error);
  printf ("%s %" G_GSIZE_FORMAT " %.0f %" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT "\n", plan->model,
          size.n_parameters, size.multiply_adds, size.bytes_training, size.bytes_prediction);
}

static void
take (float *to, gsize n)
{
  if (fread (to, sizeof (float), n, stdin) != n)
    stop (NULL);
}

static void
give (const float *from, gsize n)
{
  fwrite (from, sizeof (float), n, stdout);
}

static void
run (SlNetworkPlan plan)
{
  GError *error = NULL;
  plan.input_gradient = TRUE;
  g_autoptr (SlNetwork) network = made (&plan);
  int n;
  SlParameter *parameters = sl_network_parameters (network, &n);
  gsize logits = (gsize) plan.batch * (gsize) plan.n_classes;
  gsize inputs
      = (gsize) plan.batch * (gsize) plan.channels * (gsize) plan.height * (gsize) plan.width;
  g_autofree float *gradient = g_new (float, logits);
  for (int i = 0; i < n; i++)
    take (parameters[i].value, parameters[i].size);
  sl_network_weights_changed (network);
  take (sl_network_input (network), inputs);
  take (gradient, logits);
  for (int training = 0; training < 2; training++)
    {
      const float *found = sl_network_forward (network, plan.batch, training, KEY, &error);
      if (found == NULL)
        stop (error);
      give (found, logits);
    }
  if (!sl_network_backward (network, plan.batch, gradient, &error))
    stop (error);
  for (int i = 0; i < n; i++)
    {
      g_autofree float *none = g_new0 (float, parameters[i].size);
      give (parameters[i].grad != NULL ? parameters[i].grad : none, parameters[i].size);
    }
  for (int i = 0; i < n; i++)
    give (parameters[i].value, parameters[i].size);
  give (sl_network_input_gradient (network), inputs);
}

static void
shares (const SlNetworkPlan *plan)
{
  GError *error = NULL;
  const SlModelInfo *model = sl_model_find (plan->model, &error);
  g_autoptr (SlDescription) d = sl_description_new (plan->channels, plan->height, plan->width,
                                                    plan->n_classes, plan->dropout);
  if (model == NULL || !model->describe (d, NULL, &error))
    stop (error);
  guint32 purpose = sl_random_purpose ("network: shake");
  for (guint node = 0; node < d->nodes->len; node++)
    for (int share = 0;
         sl_node (d, (SlValue) node)->kind == SL_LAYER_SHAKE && share < 2 * plan->batch; share++)
      {
        SlRandom random = sl_random (KEY, purpose, (guint64) (share % plan->batch), node,
                                     (guint32) (share / plan->batch));
        float drawn = (float) sl_random_unit (&random);
        give (&drawn, 1);
      }
}

static float *velocity;

static void
train_once (SlNetwork *network, const SlNetworkPlan *plan, const float *gradient)
{
  GError *error = NULL;
  if (sl_network_forward (network, plan->batch, TRUE, 1, &error) == NULL
      || !sl_network_backward (network, plan->batch, gradient, &error))
    stop (error);
  int n;
  SlParameter *parameters = sl_network_parameters (network, &n);
  gsize size = (gsize) (parameters[n - 1].value - parameters[0].value) + parameters[n - 1].size;
  if (velocity == NULL)
    velocity = g_new0 (float, size);
  for (gsize i = 0; i < size; i++)
    {
      velocity[i] = 0.9f * velocity[i] + parameters[0].grad[i];
      parameters[0].value[i] -= 1e-4f * velocity[i];
    }
  sl_network_weights_changed (network);
}

static double
cpu_seconds (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + 1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* By the clock, and by the time of the processors. */
static void
images_a_second (SlNetwork *network, const SlNetworkPlan *plan, gboolean training, double seconds,
                 double *speed, double *cpu_speed)
{
  g_autofree float *gradient = g_new0 (float, (gsize) plan->batch *(gsize) plan->n_classes);
  for (int i = 0; i < plan->batch; i++)
    gradient[i * plan->n_classes + i % plan->n_classes] = -0.01f;
  gint64 start = 0, end = 0;
  double cpu = 0;
  int runs = -2; /* not counted: the first ones compile */
  while (runs < 1 || (double) (end - start) < seconds * 1e6)
    {
      if (runs == 0)
        {
          start = g_get_monotonic_time ();
          cpu = cpu_seconds ();
        }
      if (training)
        train_once (network, plan, gradient);
      else if (sl_network_forward (network, plan->batch, FALSE, 0, NULL) == NULL)
        stop (NULL);
      runs++;
      end = g_get_monotonic_time ();
    }
  *speed = runs * (double) plan->batch / ((double) (end - start) * 1e-6);
  *cpu_speed = runs * (double) plan->batch / (cpu_seconds () - cpu);
}

/* Of this program alone: what getrusage() says begins with what the calling one had. */
static double
peak_megabytes (void)
{
  g_autofree char *status = NULL;
  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  const char *line = strstr (status, "VmHWM:");
  return line != NULL ? g_ascii_strtod (line + strlen ("VmHWM:"), NULL) / 1e3 : 0;
}

static void
bench (SlNetworkPlan plan, const char *kind, double seconds)
{
  plan.training = strcmp (kind, "train") == 0;
  g_autoptr (SlNetwork) network = made (&plan);
  sl_network_initialise (network, 1);
  gsize inputs
      = (gsize) plan.batch * (gsize) plan.channels * (gsize) plan.height * (gsize) plan.width;
  for (gsize i = 0; i < inputs; i++)
    sl_network_input (network)[i] = (float) (i * 7919 % 1000) / 1000;
  double speed, cpu_speed;
  images_a_second (network, &plan, plan.training, seconds, &speed, &cpu_speed);
  printf ("%s %.1f images/s, %.1f a processor's second, planned %.0f MB, peak %.0f MB\n", kind,
          speed, cpu_speed, (double) sl_network_bytes (network) / 1e6, peak_megabytes ());
}

int
main (int argc, char **argv)
{
  if (argc < 7)
    return 2;
  SlNetworkPlan plan = { .model = argv[2],
                         .n_classes = atoi (argv[3]),
                         .channels = atoi (argv[4]),
                         .height = atoi (argv[5]),
                         .width = atoi (argv[6]),
                         .batch = argc > 7 ? atoi (argv[7]) : 1,
                         .bf16 = argc > 8 && strcmp (argv[8], "bf16") == 0,
                         .threads = argc > 9 ? atoi (argv[9]) : 2,
                         .training = TRUE };
  if (strcmp (argv[1], "names") == 0)
    names (&plan);
  else if (strcmp (argv[1], "size") == 0)
    print_size (&plan);
  else if (strcmp (argv[1], "run") == 0)
    run (plan);
  else if (strcmp (argv[1], "shares") == 0)
    shares (&plan);
  else
    bench (plan, argv[1], argc > 10 ? atof (argv[10]) : 5);
  return 0;
}
