// The questions of one trial: a form for each task, and what is in it. An answer holds classes by their numbers, -1 for
// "no alternative", null for what was not answered; percents as they were typed.

// The question QUESTION of the study's perspective, about a picture or text where that makes a difference.
const ask = (question, what = '') => say(`${study.perspective}${question}${what && (what === 'text' ? 'Text' : 'Picture')}`);

const emptyAnswer = () => ({ first: null, percent: '', second: null, percent2: '', impossible: [], ranks: [], shares: study.classes.map(() => ''), human: null, confidence: null });

const rankGroup = (legend, onInput) => {
  const buttons = classOrder.map((c, place) => {
    const key = keyOf(place), button = element('button', { type: 'button', className: 'choice rank', id: `rank-${c}`, value: String(c),
                                                           'aria-pressed': 'false' },
                                               element('span', { className: 'place', 'aria-hidden': 'true' }), isolated(study.classes[c]),
                                               element('span', { className: 'hidden' }), key && element('kbd', { 'aria-hidden': 'true' }, key));
    if (key)
      button.setAttribute('aria-keyshortcuts', key);
    button.addEventListener('click', () => onInput(c));
    return button;
  });
  return element('fieldset', { id: 'rank', 'aria-describedby': 'note-rank' }, element('legend', {}, legend),
                 element('p', { className: 'soft' }, say('rankHint')), element('div', { className: 'choices' }, ...buttons),
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

// A bar for each class, to be dragged, and its number, to be typed.
const sharesGroup = (legend, onInput) => {
  const rows = classOrder.map((c, place) => {
    const take = event => onInput([c, event.target.value]), name = study.classes[c];
    return element('div', { className: 'share' }, element('label', { htmlFor: `share-${c}` }, isolated(name)),
                   element('input', { type: 'range', id: `bar-${c}`, min: '0', max: '100', step: '1', value: '0', tabIndex: -1, 'aria-label': name, oninput: take }),
                   element('input', { type: 'text', id: `share-${c}`, inputMode: 'decimal', autocomplete: 'off', size: 4, maxLength: 20, oninput: take,
                                      'aria-describedby': 'note-distribution', 'aria-keyshortcuts': keyOf(place) }));
  });
  return element('fieldset', { id: 'distribution', 'aria-describedby': 'note-distribution' }, element('legend', {}, legend),
                 element('p', { className: 'soft' }, say('distributionHint')), ...rows,
                 element('p', { id: 'sum' }, say('distributionSum', { sum: 0 })), noteFor('distribution'));
};

// Bars are as long as the numbers say; a number that is being typed stays as it is.
const showShares = (form, answer) => {
  answer.shares.forEach((text, c) => {
    const percent = readPercent(text), bar = form.querySelector(`#bar-${c}`), typed = form.querySelector(`#share-${c}`);
    bar.value = String(Math.min(Math.max(percent || 0, 0), 100));
    if (typed.value !== text)
      typed.value = text;
  });
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
  const build = {
    vote: () => [choiceGroup('radio', 'first', study.question ?? say(what === 'text' ? 'voteText' : 'votePicture'), null,
                             on('first', input => { answer.first = Number(input.value); }))],
    soft: () => [
      choiceGroup('radio', 'first', study.question ?? ask('First', what), null, on('first', input => { answer.first = Number(input.value); })),
      percentField('percent', ask('Percent'), on('percent', input => { answer.percent = input.value; })),
      choiceGroup('radio', 'second', `${ask('Second')}${study.noAlternative ? '' : ` ${say('mayBeLeftOut')}`}`,
                  study.noAlternative ? say('noAlternative') : null, on('second', input => { answer.second = Number(input.value); })),
      percentField('percent2', ask('Percent2'), on('percent2', input => { answer.percent2 = input.value; })),
      choiceGroup('checkbox', 'impossible', ask('Impossible', what), null, on('impossible', () => {
        answer.impossible = [...form.querySelectorAll('[name=impossible]:checked')].map(input => Number(input.value)).sort((a, b) => a - b);
      })),
    ],
    rank: () => [rankGroup(study.question ?? ask('Rank', what), on('rank', c => {
      answer.ranks = answer.ranks.includes(c) ? answer.ranks.filter(other => other !== c) : [...answer.ranks, c];
      showRanks(answer.ranks);
    }))],
    distribution: () => [sharesGroup(study.question ?? ask('Distribution', what), on('distribution', ([c, text]) => {
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
    if (study.task === 'distribution')
      showShares(form, answer);
  };
  return { form, answer, fill };
};

// The inputs of a trial in the order in which Enter goes through them.
const inputsOf = answer => INPUTS[study.task].filter(input => input !== 'percent2' || (answer.second !== null && answer.second >= 0));

// What the keys 1 to 9 and 0 choose, or go to, in a group.
const CHOICES = 'input:not([type=range]), button';

const inputAt = element => element?.closest('fieldset')?.id ?? (element instanceof HTMLInputElement ? element.id : null);

const focusInput = input => {
  const place = document.getElementById(input);
  const target = place instanceof HTMLFieldSetElement ? place.querySelector('input:checked') ?? place.querySelector(CHOICES) : place;
  target.focus();
  if (target.type === 'text')
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
