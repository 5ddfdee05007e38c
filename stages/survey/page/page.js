// The page from its first screen to its last: consent, practice, trials, the end. What is on the screen follows from
// `state`, which is kept in the browser at every change, so that a page that is loaded again goes on where it was.

const study = JSON.parse(document.getElementById('study').textContent);
study.plan.seed = BigInt(study.plan.seed);
const plan = study.plan, hidden = JSON.parse(planUncover(plan, study.hidden));
const main = document.getElementById('main'), what = study.texts ? 'text' : 'picture', title = study.title ?? say('title');
const instructions = study.instructions ?? say('instructions');
let classOrder = countUp(study.classes.length, 0);

const show = (heading, ...children) => {
  const top = element('h1', { tabIndex: -1 }, heading);
  main.replaceChildren(top, ...children);
  document.title = `${heading} – ${title}`;
  top.focus();
  scrollTo(0, 0);
};

const stop = (heading, text) => show(heading, ...paragraphs(text));

const warn = text => {
  const box = document.getElementById('warning');
  box.textContent = text;
  box.hidden = text === '';
};

const keepWarning = () => warn(say('notKept'));

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
  show(say('otherTab'), element('p', {}, say('otherTabHint')),
       element('button', { type: 'button', id: 'here', onclick: () => { store.take(); enter(); } }, say('here')));
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

// The text that says which keys there are.
const keysName = () => {
  const task = { single: 'soft', several: 'soft' }[study.task] ?? study.task;
  return isFound() && !['distribution', 'mixture'].includes(task) ? 'keysFind' : `keys${task[0].toUpperCase()}${task.slice(1)}`;
};

const consent = () => {
  const box = element('input', { type: 'checkbox', id: 'agree', 'aria-describedby': 'note-agree' });
  const form = element('form', { noValidate: true },
                       element('label', { className: 'choice', htmlFor: 'agree' }, box, say('agree')),
                       noteFor('agree'), element('button', { type: 'submit', className: 'go' }, say('begin')));
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (!box.checked) {
      notes([['agree', say('agreeMissing')]], 'missing');
      box.focus();
      return;
    }
    state.agreed = true;
    if (save())
      enter();
  });
  show(title, ...paragraphs(instructions), element('h2', {}, say('keysHeading')),
       ...paragraphs(say(keysName())),
       element('h2', {}, say('consentHeading')), ...paragraphs(study.consent ?? say('consent')),
       ...paragraphs(study.post ? say('storageSent', { host: new URL(study.post).hostname }) : say('storageKept')), form);
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
    notes(oddMeanwhile(study.task, questions.answer), 'odd');
    keepDraft();
  });
  const label = say(practice ? 'practice' : what, { n: n + 1, all });
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
      document.getElementById('hint').textContent = say('unusual');
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
      const next = inputs[inputs.indexOf(input) + 1], below = active.closest('.share')?.nextElementSibling?.querySelector('input[type=text]');
      if (active.type === 'search' && active.value.trim() !== '')
        chooseFound(active);
      else if (below && !below.disabled)
        below.select();
      else if (next && (input || active.tagName !== 'BUTTON'))
        focusInput(next);
      else
        goOn();
      return;
    }
    if (!/^[0-9]$/.test(event.key) || active.type === 'text' || active.type === 'search')
      return;
    event.preventDefault();
    const digit = (Number(event.key) + 9) % 10, place = document.getElementById(input ?? inputs[0]);
    const group = active.type === 'range' ? active : place;
    if (group.type === 'range') {
      group.focus();
      group.value = String(10 * Number(event.key));
      group.dispatchEvent(new Event('input'));
      return;
    }
    const choice = group.querySelectorAll(CHOICES)[group.querySelector('.find') ? 0 : digit];
    choice?.focus();
    if (choice && choice.type !== 'search')
      choice.click();
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
    const again = element('button', { type: 'button', onclick: () => enter() }, say('tryAgain'));
    picture.replaceWith(element('p', { className: 'note missing', role: 'alert' }, say('pictureFailed'), ' ', again));
    end();
  };
  const picture = pictureOf(item, label, shown, failed);
  main.dataset.shown = '';
  questions.form.append(element('p', { id: 'hint', className: 'soft', role: 'status' }),
                        element('button', { type: 'submit', className: 'go' }, say(n + 1 === all && !practice ? 'finish' : 'next')));
  questions.form.addEventListener('submit', event => {
    event.preventDefault();
    goOn();
  });
  const over = !practice && n === 0 && all > 0 && plan.practice > 0 ? element('p', {}, say('practiceOver')) : null;
  show(label, ...[over].filter(Boolean), element('progress', { max: all, value: n, 'aria-label': say('answered', { n, all }) }),
       element('div', { className: 'trial' }, picture, questions.form));
  if (kept) {
    questions.fill(kept.answer);
    notes(oddMeanwhile(study.task, questions.answer), 'odd');
  }
  document.addEventListener('keydown', onKey);
  addEventListener('pagehide', onLeave);
  if (study.texts)
    shown();
};

const fileName = ending => `softlabel-${study.id}-${state.annotator.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60)}-${state.batch + 1}.${ending}`;

const finish = async () => {
  const rows = state.records.map(record => rowOf(state, record, true)), status = element('p', { role: 'status', id: 'sending' });
  const code = element('p', { id: 'code', hidden: true }, say('code'), ' ', element('strong', {}, hidden.code ?? ''));
  const again = element('button', { type: 'button', id: 'again', hidden: true, onclick: () => send() }, say('sendAgain'));
  const showCode = () => { code.hidden = hidden.code === null; };
  const files = [['csv', 'text/csv', csvOf], ['json', 'application/json', jsonOf]].map(([ending, type, form]) =>
    element('button', { type: 'button', id: ending, onclick: () => {
      download(fileName(ending), type, form(rows));
      showCode();
    } }, say('download', { form: ending.toUpperCase() })));
  const send = async () => {
    again.hidden = true;
    status.textContent = say('sending');
    const arrived = await post(jsonLinesOf(rows), wait => { status.textContent = say('retrying', { seconds: wait }); });
    if (arrived) {
      state.sent = true;
      save();
    }
    status.textContent = say(arrived ? 'arrived' : 'notArrived');
    again.hidden = arrived;
    if (arrived)
      showCode();
  };
  show(say('thanks'), element('p', {}, say('allAnswered')), status, again, code, element('p', { className: 'files' }, ...files));
  if (!study.post || state.sent)
    showCode();
  if (study.post && state.sent)
    status.textContent = say('arrived');
  else if (study.post)
    await send();
  else
    status.textContent = say('pleaseDownload');
};

// Who came without a name says who it is.
const askWho = (batch, assignment) => {
  const input = element('input', { id: 'annotator', type: 'text', autocomplete: 'off', maxLength: 200, 'aria-describedby': 'note-annotator' });
  const form = element('form', { noValidate: true },
                       element('div', { className: 'number' }, element('label', { htmlFor: 'annotator' }, say('who')), input, noteFor('annotator')),
                       element('button', { type: 'submit', className: 'go' }, say('goOn')));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const name = input.value.trim();
    if (name !== '')
      return begin(name, batchFor(batch, name), assignment);
    notes([['annotator', say('whoMissing')]], 'missing');
    input.focus();
  });
  show(title, element('p', {}, say('whoHint')), form);
};

const start = () => {
  const { annotator, batch, assignment } = whoAndWhat();
  document.documentElement.dataset.ready = '1';
  if (assignment === 'ASSIGNMENT_ID_NOT_AVAILABLE')
    return stop(title, `${say('preview')}\n\n${instructions}`);
  if (batch !== null && batchFor(batch, '') === null)
    return stop(say('linkWrong'), say('noBatch', { batch, all: planBatches(plan) }));
  if (annotator !== null && annotator.length > 200)
    return stop(say('linkWrong'), say('longName'));
  if (annotator === null)
    return askWho(batch, assignment);
  return begin(annotator, batchFor(batch, annotator), assignment);
};

start();
