// Pieces of the page. Texts become text, never markup.

// The text KEY of the study's language, with values in place of its {names}.
const say = (key, values = {}) => study.words[key].replace(/\{(\w+)\}/g, (name, value) => value in values ? values[value] : name);

const element = (tag, properties = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in made && !name.includes('-'))
      made[name] = value;
    else if (value !== null)
      made.setAttribute(name, value);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
};

const isolated = text => element('bdi', {}, text);

const paragraphs = text => text.split(/\n\s*\n/).map(part => element('p', { dir: 'auto' }, part.trim()));

// Beside a field: what is missing, or odd. Read out when it changes.
const noteFor = field => element('p', { className: 'note', id: `note-${field}`, role: 'status' });

// "1" of a choice that the key 1 chooses.
const keyOf = place => place < 9 ? String(place + 1) : place === 9 ? '0' : null;

// Of more classes than there are digits one is found by a part of its name.
const isFound = () => study.classes.length > 10;

const choiceKey = place => isFound() ? null : keyOf(place);

// CHOICES of a group; where they are many, they scroll below a field that leaves those that have what is typed.
const choicesOf = (choices, row = false) => {
  const list = element('div', { className: `choices${row ? ' row' : ''}${isFound() ? ' many' : ''}` }, ...choices);
  const narrow = event => {
    const part = event.target.value.trim().toLocaleLowerCase();
    for (const choice of choices)
      choice.hidden = !choice.querySelector('bdi').textContent.toLocaleLowerCase().includes(part);
  };
  const find = { type: 'search', className: 'find', autocomplete: 'off', maxLength: 100, placeholder: say('find'), 'aria-label': say('find'), oninput: narrow };
  return isFound() ? [element('input', find), list] : [list];
};

// Chooses the first of those that are left, and shows all again.
const chooseFound = find => {
  const choice = find.nextElementSibling.querySelector('.choice:not([hidden])');
  if (!choice)
    return;
  choice.click();
  find.value = '';
  find.dispatchEvent(new Event('input'));
  choice.scrollIntoView({ block: 'nearest' });
};

const choiceOf = (kind, group, value, place, words, onInput) => {
  const key = choiceKey(place), id = `${group}-${value}`;
  const input = element('input', { type: kind, name: group, id, value: String(value), oninput: onInput });
  if (key)
    input.setAttribute('aria-keyshortcuts', key);
  return element('label', { className: 'choice', htmlFor: id }, input, isolated(words),
                 key && element('kbd', { 'aria-hidden': 'true' }, key));
};

// A group of choices in the order in which this annotator has the classes.
const choiceGroup = (kind, group, legend, extra, onInput) => {
  const choices = classOrder.map((c, place) => choiceOf(kind, group, c, place, study.classes[c], onInput));
  if (extra)
    choices.push(choiceOf(kind, group, -1, choices.length, extra, onInput));
  return element('fieldset', { id: group, 'aria-describedby': `note-${group}` }, element('legend', {}, legend),
                 ...choicesOf(choices, study.inRow && !extra), noteFor(group));
};

const percentField = (field, words, onInput) =>
  element('div', { className: 'number' }, element('label', { htmlFor: field }, words),
          element('input', { id: field, type: 'text', inputMode: 'decimal', autocomplete: 'off', size: 6, maxLength: 20, oninput: onInput,
                             'aria-describedby': `note-${field}` }), noteFor(field));

const slider = (field, words, least, most, onInput) =>
  element('div', { className: 'slider', id: `${field}-slider` }, element('label', { htmlFor: field }, words),
          element('div', { className: 'ends', 'aria-hidden': 'true' }, isolated(least), isolated(most)),
          element('input', { id: field, type: 'range', min: '0', max: '100', step: '1', value: '50', className: 'unset', oninput: onInput,
                             'aria-describedby': `value-${field} note-${field}`, 'aria-valuetext': say('notSet') }),
          element('output', { id: `value-${field}`, htmlFor: field }, say('notSet')), noteFor(field));
