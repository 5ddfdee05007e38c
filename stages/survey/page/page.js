// The page from its first screen to its last: consent, practice, trials, the end. What is on the screen follows from
// `state`, which is kept in the browser at every change, so that a page that is loaded again goes on where it was.

const study = JSON.parse(document.getElementById('study').textContent);
study.plan.seed = BigInt(study.plan.seed);
const plan = study.plan, hidden = JSON.parse(planUncover(plan, study.hidden));
const main = document.getElementById('main'), what = study.texts ? 'text' : 'picture';
let classOrder = countUp(study.classes.length, 0);

const show = (heading, ...children) => {
  const title = element('h1', { tabIndex: -1 }, heading);
  main.replaceChildren(title, ...children);
  document.title = `${heading} – ${study.title}`;
  title.focus();
  scrollTo(0, 0);
};

const stop = (heading, text) => show(heading, ...paragraphs(text));

const warn = text => {
  const box = document.getElementById('warning');
  box.textContent = text;
  box.hidden = text === '';
};

const keepWarning = () => warn('This browser does not keep your answers: please do not close or reload this page before the end.');

// Who takes part, and in which batch; Prolific and Mechanical Turk have names of their own for it.
const whoAndWhat = () => {
  const given = new URLSearchParams(location.search), first = names => names.map(name => given.get(name)).find(Boolean) ?? null;
  return { annotator: first(['annotator', 'PROLIFIC_PID', 'workerId']), batch: first(['batch']), assignment: first(['assignmentId']) };
};

const batchFor = (given, annotator) => {
  const allotted = study.allocation?.[planKey(annotator).toString(16).padStart(16, '0')];
  if (given !== null)
    return /^[0-9]{1,9}$/.test(given) && Number(given) >= 1 && Number(given) <= planBatches(plan) ? Number(given) - 1 : null;
  return allotted ?? planBatchOf(plan, annotator);
};

let state = null, store = null, trials = [], ends = [];

const save = () => store.write(state);

const restHere = () => {
  running?.end();
  show('This study is open in another tab', element('p', {}, 'Your answers are kept there. You can go on in the other tab, or here.'),
       element('button', { type: 'button', id: 'here', onclick: () => { store.take(); enter(); } }, 'Go on here'));
};

const newState = (annotator, batch, assignment) =>
  ({ session: newToken(), annotator, batch, assignment, agreed: false, practised: 0, records: [], sent: false });

// From now on it is known who takes part.
const begin = (annotator, batch, assignment) => {
  const key = planKey(annotator);
  classOrder = study.shuffleClasses ? planClasses(plan, key) : classOrder;
  trials = planOrder(plan, key, batch);
  ends = planEnds(plan, key, batch);
  store = openStore(`softlabel ${study.id} ${annotator} ${batch + 1}`, keepWarning, restHere);
  state = newState(annotator, batch, assignment);
  enter();
};

// The screen that `state` asks for.
const enter = () => {
  const kept = store.read();
  if (kept?.session)
    state = kept;
  if (!state.agreed)
    consent();
  else if (state.practised < plan.practice)
    trial(true);
  else if (state.records.length < trials.length)
    trial(false);
  else
    finish();
};

const consent = () => {
  const box = element('input', { type: 'checkbox', id: 'agree', 'aria-describedby': 'note-agree' });
  const form = element('form', { noValidate: true },
                       element('label', { className: 'choice', htmlFor: 'agree' }, box, 'I have read this, and agree to take part.'),
                       noteFor('agree'), element('button', { type: 'submit', className: 'go' }, 'Begin'));
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (!box.checked) {
      notes([['agree', 'Please tick this if you agree. If you do not, just close the page.']], 'missing');
      box.focus();
      return;
    }
    state.agreed = true;
    if (save())
      enter();
  });
  show(study.title, ...paragraphs(study.instructions), element('h2', {}, 'Keys'), ...paragraphs(study.keys),
       element('h2', {}, 'Consent'), ...paragraphs(study.consent), ...paragraphs(study.storage), form);
};

let running = null;

const pictureOf = (item, label, shown, failed) => {
  if (study.texts)
    return element('blockquote', { className: 'stimulus', dir: 'auto', 'aria-label': label }, study.texts[item]);
  const image = element('img', { className: 'stimulus', alt: label, src: study.pictures[item] });
  image.addEventListener('error', failed);
  image.addEventListener('load', shown);
  return image;
};

const preload = item => {
  if (item !== undefined && !study.texts)
    new Image().src = study.pictures[item];
};

// One trial: its screen, its keys, its time.
const trial = practice => {
  const n = practice ? state.practised : state.records.length, all = practice ? plan.practice : trials.length;
  const { item, kind } = practice ? { item: plan.items + plan.checks + n, kind: ITEM } : trials[n];
  const draft = store.readDraft(), kept = draft?.session === state.session && draft.trial === n && draft.practice === practice ? draft : null;
  const record = { trial: n, practice, item, kind, answer: null, shown: 0, background: 0, inputs: kept?.inputs ?? {}, reloads: kept ? kept.reloads + 1 : 0 };
  const watch = newWatch(kept ?? undefined), told = new Set();
  const mixed = study.task === 'mixture' && hidden.mixtures[item];
  const swapped = !practice && ends[n];
  const names = mixed && (swapped ? [mixed.classes[1], mixed.classes[0]] : mixed.classes);
  const keepDraft = () => {
    const time = watch.read();
    return store.writeDraft({ session: state.session, trial: n, practice, answer: questions.answer, inputs: record.inputs, reloads: record.reloads, ...time });
  };
  const questions = newQuestions(what, mixed && { names, swapped }, input => {
    record.inputs[input] = watch.read().shown;
    notes(odditiesOf(study.task, questions.answer), 'odd');
    keepDraft();
  });
  const label = `${practice ? 'Practice' : what === 'text' ? 'Text' : 'Picture'} ${n + 1} of ${all}`;
  const finishTrial = () => {
    Object.assign(record, watch.read(), { answer: questions.answer });
    if (practice)
      state.practised++;
    else
      state.records.push(record);
    end();
    if (save())
      enter();
  };
  const goOn = () => {
    const missing = missingOf(study.task, questions.answer), odd = odditiesOf(study.task, questions.answer);
    if (!watch.started())
      return;
    if (missing.length > 0) {
      notes(missing, 'missing');
      focusInput(missing[0][0]);
      return;
    }
    notes(odd, 'odd');
    const fresh = odd.find(([field, word]) => !told.has(word));
    odd.forEach(([, word]) => told.add(word));
    if (fresh) {
      document.getElementById('hint').textContent = 'Something looks unusual. Change it, or leave it as it is and go on.';
      focusInput(fresh[0]);
      return;
    }
    finishTrial();
  };
  const onKey = event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing)
      return;
    const active = document.activeElement, input = inputAt(active), inputs = inputsOf(questions.answer);
    if (event.key === 'Enter' && !(active instanceof HTMLButtonElement && active.type === 'submit')) {
      event.preventDefault();
      const next = inputs[inputs.indexOf(input) + 1];
      if (next && (input || active.tagName !== 'BUTTON'))
        focusInput(next);
      else
        goOn();
      return;
    }
    if (!/^[0-9]$/.test(event.key) || active.type === 'text')
      return;
    event.preventDefault();
    const digit = (Number(event.key) + 9) % 10, group = document.getElementById(input ?? inputs[0]);
    if (group.type === 'range') {
      group.focus();
      group.value = String(10 * Number(event.key));
      group.dispatchEvent(new Event('input'));
      return;
    }
    const choice = group.querySelectorAll('input, button')[digit];
    choice?.focus();
    choice?.click();
  };
  const onLeave = () => keepDraft();
  const end = () => {
    running = null;
    document.removeEventListener('keydown', onKey);
    removeEventListener('pagehide', onLeave);
    watch.end();
  };
  running = { end };
  const shown = () => requestAnimationFrame(() => {
    watch.start();
    main.dataset.shown = '1';
    preload(practice ? undefined : trials[n + 1]?.item);
  });
  const failed = () => {
    const again = element('button', { type: 'button', onclick: () => enter() }, 'Try again');
    picture.replaceWith(element('p', { className: 'note missing', role: 'alert' }, 'This picture cannot be shown. ', again));
    end();
  };
  const picture = pictureOf(item, label, shown, failed);
  main.dataset.shown = '';
  questions.form.append(element('p', { id: 'hint', className: 'soft', role: 'status' }),
                        element('button', { type: 'submit', className: 'go' }, n + 1 === all && !practice ? 'Finish' : 'Next'));
  questions.form.addEventListener('submit', event => {
    event.preventDefault();
    goOn();
  });
  const over = !practice && n === 0 && all > 0 && plan.practice > 0 ? element('p', {}, 'Practice is over: from now on answers count.') : null;
  show(label, ...[over].filter(Boolean), element('progress', { max: all, value: n, 'aria-label': `${n} of ${all} answered` }),
       element('div', { className: 'trial' }, picture, questions.form));
  if (kept) {
    questions.fill(kept.answer);
    notes(odditiesOf(study.task, questions.answer), 'odd');
  }
  document.addEventListener('keydown', onKey);
  addEventListener('pagehide', onLeave);
  if (study.texts)
    shown();
};

const fileName = ending => `softlabel-${study.id}-${state.annotator.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60)}-${state.batch + 1}.${ending}`;

const finish = async () => {
  const rows = state.records.map(record => rowOf(state, record, true)), status = element('p', { role: 'status', id: 'sending' });
  const code = element('p', { id: 'code', hidden: true }, 'Your completion code is ', element('strong', {}, hidden.code ?? ''));
  const again = element('button', { type: 'button', id: 'again', hidden: true, onclick: () => send() }, 'Send again');
  const showCode = () => { code.hidden = hidden.code === null; };
  const files = [['csv', 'text/csv', csvOf], ['json', 'application/json', jsonOf]].map(([ending, type, form]) =>
    element('button', { type: 'button', id: ending, onclick: () => {
      download(fileName(ending), type, form(rows));
      showCode();
    } }, `Download your answers (${ending.toUpperCase()})`));
  const send = async () => {
    again.hidden = true;
    status.textContent = 'Your answers are being sent …';
    const arrived = await post(jsonLinesOf(rows), wait => { status.textContent = `They did not arrive yet; trying again in ${wait} seconds …`; });
    if (arrived) {
      state.sent = true;
      save();
    }
    status.textContent = arrived ? 'Your answers have arrived.'
                                 : 'Your answers could not be sent. Please send them again, or download them and give the file to whoever asked you.';
    again.hidden = arrived;
    if (arrived)
      showCode();
  };
  show('Thank you', element('p', {}, 'You have answered everything.'), status, again, code, element('p', { className: 'files' }, ...files));
  if (!study.post || state.sent)
    showCode();
  if (study.post && state.sent)
    status.textContent = 'Your answers have arrived.';
  else if (study.post)
    await send();
  else
    status.textContent = 'Please download your answers, and give the file to whoever asked you.';
};

// Who came without a name says who it is.
const ask = (batch, assignment) => {
  const input = element('input', { id: 'annotator', type: 'text', autocomplete: 'off', maxLength: 200, 'aria-describedby': 'note-annotator' });
  const form = element('form', { noValidate: true },
                       element('div', { className: 'number' }, element('label', { htmlFor: 'annotator' }, 'Your number or name in this study'), input, noteFor('annotator')),
                       element('button', { type: 'submit', className: 'go' }, 'Go on'));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const name = input.value.trim();
    if (name !== '')
      return begin(name, batchFor(batch, name), assignment);
    notes([['annotator', 'Please say which number or name you were given.']], 'missing');
    input.focus();
  });
  show(study.title, element('p', {}, 'Please use what you were given: your answers are kept under it.'), form);
};

const start = () => {
  const { annotator, batch, assignment } = whoAndWhat();
  document.documentElement.dataset.ready = '1';
  if (assignment === 'ASSIGNMENT_ID_NOT_AVAILABLE')
    return stop(study.title, `This is a preview. Accept the task to take part.\n\n${study.instructions}`);
  if (batch !== null && batchFor(batch, '') === null)
    return stop('This link is not right', `There is no batch ${batch}: they are numbered from 1 to ${planBatches(plan)}. Please tell whoever gave you the link.`);
  if (annotator !== null && annotator.length > 200)
    return stop('This link is not right', 'The name in it is too long. Please tell whoever gave you the link.');
  if (annotator === null)
    return ask(batch, assignment);
  return begin(annotator, batchFor(batch, annotator), assignment);
};

start();
