// The questions of one trial: a form for each task, and what is in it. An answer holds classes by their numbers, -1 for
// "no alternative", null for what was not answered; percents as they were typed.

const WORDS = {
  third: {
    first: what => `Imagine that 100 people ${what === 'text' ? 'read this text' : 'look at this picture'}. Which answer would most of them give?`,
    percent: 'How many of the 100 would give this answer?',
    second: 'Which answer would come second?',
    percent2: 'How many of the 100 would give this second answer?',
    impossible: what => `Which answers would nobody give? Tick every one that is definitely wrong for this ${what}.`,
    rank: 'Which answers would people give? Choose the likeliest first, then the next ones.',
  },
  first: {
    first: what => what === 'text' ? 'Which answer do you think fits this text?' : 'What do you think this picture shows?',
    percent: 'How likely is that, in percent?',
    second: 'What do you think is second most likely?',
    percent2: 'How likely is that, in percent?',
    impossible: what => `Which answers are definitely wrong for this ${what}? Tick every one.`,
    rank: what => `Which answers do you think fit this ${what}? Choose the likeliest first, then the next ones.`,
  },
};

const say = (words, what) => typeof words === 'function' ? words(what) : words;

const emptyAnswer = () => ({ first: null, percent: '', second: null, percent2: '', impossible: [], ranks: [], human: null, confidence: null });

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
                 element('p', { className: 'soft' }, 'Choose one again to take it out.'), element('div', { className: 'choices' }, ...buttons),
                 noteFor('rank'));
};

const showRanks = ranks => {
  for (const button of document.querySelectorAll('.rank')) {
    const place = ranks.indexOf(Number(button.value));
    button.setAttribute('aria-pressed', String(place >= 0));
    button.querySelector('.place').textContent = place >= 0 ? String(place + 1) : '';
    button.querySelector('.hidden').textContent = place >= 0 ? `, place ${place + 1}` : '';
  }
};

// `changed(input)` is called whenever the answer to one of its inputs changes. `ends`: the two classes of a mixture, in the
// order in which they stand.
const newQuestions = (what, ends, changed) => {
  const words = WORDS[study.perspective], answer = emptyAnswer(), form = element('form', { noValidate: true, autocomplete: 'off' });
  const on = (input, take) => event => {
    take(event?.target ?? event);
    changed(input);
  };
  const field = id => form.querySelector(`#${id}`);
  const setSlider = (id, value) => {
    const said = id === 'human' ? `${100 - value} % ${ends.names[0]}, ${value} % ${ends.names[1]}` : `${value} %`;
    field(id).value = String(value);
    field(id).classList.remove('unset');
    field(id).setAttribute('aria-valuetext', said);
    field(`value-${id}`).textContent = said;
  };
  const build = {
    vote: () => [choiceGroup('radio', 'first', study.question ?? (what === 'text' ? 'Which answer fits this text?' : 'What does this picture show?'), null,
                             on('first', input => { answer.first = Number(input.value); }))],
    soft: () => [
      choiceGroup('radio', 'first', study.question ?? say(words.first, what), null, on('first', input => { answer.first = Number(input.value); })),
      percentField('percent', words.percent, on('percent', input => { answer.percent = input.value; })),
      choiceGroup('radio', 'second', `${words.second}${study.noAlternative ? '' : ' (May be left out.)'}`,
                  study.noAlternative ? 'no alternative' : null, on('second', input => { answer.second = Number(input.value); })),
      percentField('percent2', words.percent2, on('percent2', input => { answer.percent2 = input.value; })),
      choiceGroup('checkbox', 'impossible', say(words.impossible, what), null, on('impossible', () => {
        answer.impossible = [...form.querySelectorAll('[name=impossible]:checked')].map(input => Number(input.value)).sort((a, b) => a - b);
      })),
    ],
    rank: () => [rankGroup(study.question ?? say(words.rank, what), on('rank', c => {
      answer.ranks = answer.ranks.includes(c) ? answer.ranks.filter(other => other !== c) : [...answer.ranks, c];
      showRanks(answer.ranks);
    }))],
    mixture: () => [
      slider('human', study.question ?? `This ${what} mixes two others. How much of each is in it?`, `all ${ends.names[0]}`, `all ${ends.names[1]}`,
             on('human', input => {
               setSlider('human', input.value);
               answer.human = ends.swapped ? Number(input.value) : 100 - Number(input.value);
             })),
      slider('confidence', 'How sure are you?', 'not at all', 'completely', on('confidence', input => {
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
  };
  return { form, answer, fill };
};

// The inputs of a trial in the order in which Enter goes through them.
const inputsOf = answer => INPUTS[study.task].filter(input => input !== 'percent2' || (answer.second !== null && answer.second >= 0));

const inputAt = element => element?.closest('fieldset')?.id ?? (element instanceof HTMLInputElement ? element.id : null);

const focusInput = input => {
  const place = document.getElementById(input);
  const target = place instanceof HTMLFieldSetElement ? place.querySelector('input:checked') ?? place.querySelector('input, button') : place;
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
