// Who is shown what, in which order: the same as plan.c, number by number. `plan` is the study's, by numbers.

const ITEM = 0, CHECK = 1, REPEAT = 2;

const shuffle = (random, values) => {
  for (let i = values.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [values[i], values[j]] = [values[j], values[i]];
  }
  return values;
};

const countUp = (n, first) => Array.from({ length: n }, (_, i) => first + i);

const batchesOf = (n, each) => each > 0 ? Math.ceil(n / each) : 0;

const planBatches = plan => plan.dealt?.length || batchesOf(plan.items - plan.low, plan.each - plan.lowEach) || batchesOf(plan.low, plan.lowEach);

const planTrials = plan => plan.each + plan.checksEach + plan.repeats;

// Philox as a hash of a name's bytes.
const planKey = name => {
  const bytes = new TextEncoder().encode(name);
  let key = [0, 0];
  for (let at = 0; at === 0 || at < bytes.length; at += 8) {
    const word = from => [0, 1, 2, 3].reduce((sum, i) => (sum | (bytes[from + i] || 0) << 8 * i) >>> 0, 0);
    key = philox([word(at), word(at + 4), at / 8, bytes.length], key);
  }
  return BigInt(key[1]) << 32n | BigInt(key[0]);
};

const planStream = (plan, purpose, key, draw) => stream(plan.seed, plan.purposes[purpose], key, draw);

const planBatchOf = (plan, name) => {
  const batches = planBatches(plan);
  if (/^[1-9][0-9]{0,8}$/.test(name))
    return (Number(name) - 1) % batches;
  return planStream(plan, 'batch', planKey(name), 0).below(batches);
};

const deal = (plan, stratum, first, n, each, batch) => {
  const all = shuffle(planStream(plan, 'batches', 0n, stratum), countUp(n, first));
  return countUp(each, batch * each).map(i => all[i % n]);
};

const place = (random, least, most) => most > least ? least + 1 + random.below(most - least) : most;

const addChecks = (plan, random, trials) => {
  const checks = shuffle(random, countUp(plan.checks, plan.items)), n = trials.length, c = plan.checksEach;
  for (let j = c - 1; j >= 0; j--) {
    const at = place(random, Math.floor(j * n / c), Math.floor((j + 1) * n / c));
    trials.splice(at, 0, { item: checks[j], kind: CHECK });
  }
};

const addRepeats = (plan, random, trials) => {
  const n = trials.length, r = plan.repeats, start = Math.ceil(2 * n / 3), again = [];
  for (let i = 0; i < n && (i < Math.ceil(n / 2) || again.length < r); i++)
    if (trials[i].kind === ITEM)
      again.push(trials[i].item);
  shuffle(random, again);
  for (let j = r - 1; j >= 0; j--) {
    const least = start + Math.floor(j * (n - start) / r), most = start + Math.floor((j + 1) * (n - start) / r);
    trials.splice(plan.repeatsAtEnd ? n : place(random, least, most), 0, { item: again[j], kind: REPEAT });
  }
};

// The trials of the annotator `key` in `batch`, in their order.
const planOrder = (plan, key, batch) => {
  const random = planStream(plan, 'order', key, batch), frequent = plan.each - plan.lowEach;
  const members = plan.dealt ? [...plan.dealt[batch]] : frequent > 0 ? deal(plan, 0, 0, plan.items - plan.low, frequent, batch) : [];
  if (plan.lowEach > 0)
    members.push(...deal(plan, 1, plan.items - plan.low, plan.low, plan.lowEach, batch));
  const trials = shuffle(random, members).map(item => ({ item, kind: ITEM }));
  if (plan.checksEach > 0)
    addChecks(plan, random, trials);
  if (plan.repeats > 0)
    addRepeats(plan, random, trials);
  return trials;
};

const planClasses = (plan, key) => shuffle(planStream(plan, 'classes', key, 0), countUp(plan.classes, 0));

const planEnds = (plan, key, batch) => {
  const random = planStream(plan, 'ends', key, batch);
  return countUp(planTrials(plan), 0).map(() => (random.u32() & 1) === 1);
};

// Enciphered bytes as text.
const planUncover = (plan, base64) => {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0)), random = planStream(plan, 'cover', 0n, 0);
  for (let i = 0, mask = 0; i < bytes.length; i++) {
    mask = i % 4 === 0 ? random.u32() : mask >>> 8;
    bytes[i] ^= mask & 0xff;
  }
  return new TextDecoder().decode(bytes);
};
