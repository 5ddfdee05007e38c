#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `softlabel doubts --noise` finds, by pandas and cleanlab (the python of `tools/setup --python tests/peers/packages.txt`).

    doubts.py PREDICTIONS LABELS"""
import resource
import sys
import time

begin = time.time()
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from cleanlab.count import compute_confident_joint, estimate_joint
from cleanlab.rank import get_self_confidence_for_each_label

predictions, labels = (pq.read_table(path) for path in sys.argv[1:])
p = np.stack(predictions['label'].to_numpy(zero_copy_only=False))
given = np.stack(labels['label'].to_numpy(zero_copy_only=False)).argmax(1)
place = pd.Series(np.arange(len(p)), index=predictions['item'].to_pandas())
p = p[place[labels['item'].to_pandas()].to_numpy()]
own = time.time()
order = np.argsort(get_self_confidence_for_each_label(given, p))
noise = estimate_joint(given, p, confident_joint=compute_confident_joint(given, p))
end = time.time()
print(f'{100 * (1 - np.trace(noise)):.3g} of 100 labels are wrong; {end - begin:.1f} s, of them {end - own:.1f} s in cleanlab, '
      f'{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB')
