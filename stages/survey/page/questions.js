// The questions of one trial: a form for each task, and what is in it. An answer holds classes by their numbers, -1 for
// "no alternative", null for what was not answered; percents as they were typed.

// The question QUESTION of the study's perspective, about a picture or text where that makes a difference.
const ask = (question, what = '') => say(`${study.perspective}${question}${what && (what === 'text' ? 'Text' : 'Picture')}`);

const emptyAnswer = () => ({ first: null, percent: '', second: null, percent2: '', impossible: [], ranks: [], shares: study.classes.map(() => ''), human: null, confidence: null });

// Classes in order, as many of them as the study asks for.
const rankGroup = (legend, onInput) => {
  const buttons = classOrder.map((c, place) => {
    const key = choiceKey(place), button = element('button', { type: 'button', className: 'choice rank', id: `rank-${c}`, value: String(c),
                                                           'aria-pressed': 'false' },
                                               element('span', { className: 'place', 'aria-hidden': 'true' }), isolated(study.classes[c]),
                                               element('span', { className: 'hidden' }), key && element('kbd', { 'aria-hidden': 'true' }, key));
    if (key)
      button.setAttribute('aria-keyshortcuts', key);
    button.addEventListener('click', () => onInput(c));
    return button;
  });
  return element('fieldset', { id: 'rank', 'aria-describedby': 'note-rank' }, element('legend', {}, legend),
                 element('p', { className: 'soft' }, say(study.top ? 'rankHintTop' : 'rankHint', { n: study.top })), ...choicesOf(buttons),
                 noteFor('rank'));
};

const showRanks = ranks => {
  for (const button of document.querySelectorAll('.rank')) {
    const place = ranks.indexOf(Number(button.value));
    button.setAttribute('aria-pressed', String(place >= 0));
    button.querySelector('.place').textContent = place >= 0 ? String(place + 1) : '';
    button.querySelector('.hidden').textContent = place >= 0 ? say('rankPlace', { n: place + 1 }) : '';
  }
};

// A bar for each of ROWS, to be dragged, and its number, to be typed: classes, or places among the likeliest.
const sharesGroup = (id, legend, hint, rows, onInput) => {
  const bars = rows.map((row, place) => {
    const take = event => onInput([row, event.target.value]);
    return element('div', { className: 'share' }, element('label', { htmlFor: `share-${row}` }, isolated('')),
                   element('input', { type: 'range', id: `bar-${row}`, min: '0', max: '100', step: '1', value: '0', tabIndex: -1, oninput: take }),
                   element('input', { type: 'text', id: `share-${row}`, inputMode: 'decimal', autocomplete: 'off', size: 4, maxLength: 20, oninput: take,
                                      'aria-describedby': `note-${id}`, 'aria-keyshortcuts': keyOf(place) }));
  });
  return element('fieldset', { id, 'aria-describedby': `note-${id}` }, element('legend', {}, legend), hint && element('p', { className: 'soft' }, hint),
                 ...bars, element('p', { id: 'sum' }), noteFor(id));
};

// Bars are as long as the numbers say; a number that is being typed stays as it is. A place that no class has takes none.
const showShares = (form, answer) => {
  const ranked = study.task === 'several', rows = ranked ? countUp(study.top, 0) : classOrder;
  for (const row of rows) {
    const c = ranked ? answer.ranks[row] : row, text = answer.shares[c] ?? '', percent = readPercent(text);
    const bar = form.querySelector(`#bar-${row}`), typed = form.querySelector(`#share-${row}`), name = study.classes[c] ?? '–';
    bar.disabled = typed.disabled = c === undefined;
    bar.value = String(Math.min(Math.max(percent || 0, 0), 100));
    bar.setAttribute('aria-label', name);
    form.querySelector(`label[for=share-${row}] bdi`).textContent = ranked ? `${row + 1}. ${name}` : name;
    if (typed.value !== text)
      typed.value = text;
  }
  form.querySelector('#sum').textContent = say('distributionSum', { sum: sumOfShares(answer) });
};

// `changed(input)` is called whenever the answer to one of its inputs changes. `ends`: the two classes of a mixture, in the
// order in which they stand.
const newQuestions = (what, ends, changed) => {
  const answer = emptyAnswer(), form = element('form', { noValidate: true, autocomplete: 'off' });
  const on = (input, take) => event => {
    take(event?.target ?? event);
    changed(input);
  };
  const field = id => form.querySelector(`#${id}`);
  const setSlider = (id, value) => {
    const said = id === 'human' ? say('mixtureValue', { first: 100 - value, firstClass: ends.names[0], second: value, secondClass: ends.names[1] })
      : say('sureValue', { n: value });
    field(id).value = String(value);
    field(id).classList.remove('unset');
    field(id).setAttribute('aria-valuetext', said);
    field(`value-${id}`).textContent = said;
  };
  // The likeliest classes, one after the other; what is chosen again is taken out, with its percent.
  const ranking = () => rankGroup(study.question ?? ask('Rank', what), on('rank', c => {
    const there = answer.ranks.includes(c);
    if (there || answer.ranks.length < (study.top ?? study.classes.length))
      answer.ranks = there ? answer.ranks.filter(other => other !== c) : [...answer.ranks, c];
    if (there)
      answer.shares[c] = '';
    showRanks(answer.ranks);
    if (study.task === 'several')
      showShares(form, answer);
  }));
  const ruledOut = () => choiceGroup('checkbox', 'impossible', ask('Impossible', what), null, on('impossible', () => {
    answer.impossible = [...form.querySelectorAll('[name=impossible]:checked')].map(input => Number(input.value)).sort((a, b) => a - b);
  }));
  const firstClass = () => [
    choiceGroup('radio', 'first', study.question ?? ask('First', what), null, on('first', input => { answer.first = Number(input.value); })),
    percentField('percent', ask('Percent'), on('percent', input => { answer.percent = input.value; })),
  ];
  const build = {
    vote: () => [choiceGroup('radio', 'first', study.question ?? say(what === 'text' ? 'voteText' : 'votePicture'), null,
                             on('first', input => { answer.first = Number(input.value); }))],
    single: () => [...firstClass(), ruledOut()],
    soft: () => [
      ...firstClass(),
      choiceGroup('radio', 'second', `${ask('Second')}${study.noAlternative ? '' : ` ${say('mayBeLeftOut')}`}`,
                  study.noAlternative ? say('noAlternative') : null, on('second', input => { answer.second = Number(input.value); })),
      percentField('percent2', ask('Percent2'), on('percent2', input => { answer.percent2 = input.value; })),
      ruledOut(),
    ],
    several: () => [
      ranking(),
      sharesGroup('percents', ask('Percents'), null, countUp(study.top, 0), on('percents', ([place, text]) => {
        answer.shares[answer.ranks[place]] = text;
        showShares(form, answer);
      })),
      ruledOut(),
    ],
    rank: () => [ranking()],
    distribution: () => [sharesGroup('distribution', study.question ?? ask('Distribution', what), say('distributionHint'), classOrder, on('distribution', ([c, text]) => {
      answer.shares[c] = text;
      showShares(form, answer);
    }))],
    mixture: () => [
      slider('human', study.question ?? say('mixture'), say('mixtureEnd', { class: ends.names[0] }), say('mixtureEnd', { class: ends.names[1] }),
             on('human', input => {
               setSlider('human', input.value);
               answer.human = ends.swapped ? Number(input.value) : 100 - Number(input.value);
             })),
      slider('confidence', say('sure'), say('sureLeast'), say('sureMost'), on('confidence', input => {
        setSlider('confidence', input.value);
        answer.confidence = Number(input.value);
      })),
    ],
  };
  form.append(...build[study.task]());
  if (form.querySelector('#sum'))
    showShares(form, answer);
  // What was answered before the page was loaded again.
  const fill = saved => {
    Object.assign(answer, saved);
    for (const [name, value] of [['first', answer.first], ['second', answer.second]])
      if (value !== null && field(`${name}-${value}`))
        field(`${name}-${value}`).checked = true;
    for (const c of answer.impossible)
      field(`impossible-${c}`).checked = true;
    for (const id of ['percent', 'percent2'])
      if (field(id))
        field(id).value = answer[id];
    if (answer.human !== null)
      setSlider('human', ends.swapped ? answer.human : 100 - answer.human);
    if (answer.confidence !== null)
      setSlider('confidence', answer.confidence);
    showRanks(answer.ranks);
    if (form.querySelector('#sum'))
      showShares(form, answer);
  };
  return { form, answer, fill };
};

// The inputs of a trial in the order in which Enter goes through them.
const inputsOf = answer => INPUTS[study.task].filter(input => input === 'percent2' ? answer.second !== null && answer.second >= 0
  : input !== 'percents' || answer.ranks.length > 0);

// What the keys 1 to 9 and 0 choose, or go to, in a group.
const CHOICES = 'input:not([type=range]), button';

const inputAt = element => element?.closest('fieldset')?.id ?? (element instanceof HTMLInputElement ? element.id : null);

const focusInput = input => {
  const place = document.getElementById(input);
  const target = place instanceof HTMLFieldSetElement ? place.querySelector('input:checked') ?? place.querySelector(CHOICES) : place;
  target.focus();
  if (target.type === 'text' || target.type === 'search')
    target.select();
  (place.closest('.number, .slider') ?? place).scrollIntoView({ block: 'nearest' });
};

const notes = (list, kind) => {
  for (const note of document.querySelectorAll('.note')) {
    const said = list.filter(entry => `note-${entry[0]}` === note.id).map(entry => entry.at(-1)).join(' ');
    if (note.textContent !== said)
      note.textContent = said;
    note.classList.toggle('missing', said !== '' && kind === 'missing');
    const field = document.getElementById(note.id.slice('note-'.length));
    if (field instanceof HTMLInputElement)
      field.setAttribute('aria-invalid', String(said !== ''));
  }
};
