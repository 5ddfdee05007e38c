// What was answered: what is odd about it, and how it is written down. Nothing here knows the screen.

// A percent as people type it: 80, 80.5, 80,5 or 80 %. null: nothing; NaN: no number.
const readPercent = text => {
  const typed = text.trim();
  if (typed === '')
    return null;
  const plain = typed.replace(/\s*%$/, '').replace(',', '.');
  return /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(plain) ? Number(plain) : NaN;
};

// What is written for it: the number, or what was typed where that is none.
const percentText = text => {
  const value = readPercent(text);
  return value === null ? '' : Number.isNaN(value) ? text.trim() : String(value);
};

// What must be there before an answer can stand: [field, words].
const missingOf = (task, answer) => {
  if (task === 'mixture')
    return [answer.human === null && ['human', 'Please move the slider.'],
            answer.confidence === null && ['confidence', 'Please move the slider.']].filter(Boolean);
  if (task === 'rank')
    return answer.ranks.length === 0 ? [['rank', 'Please choose at least the likeliest answer.']] : [];
  const missing = [answer.first === null && ['first', 'Please choose an answer.']];
  if (task === 'soft')
    missing.push(readPercent(answer.percent) === null && ['percent', 'Please give a number from 0 to 100.'],
                 study.noAlternative && answer.second === null && ['second', 'Please choose an answer, or “no alternative”.']);
  return missing.filter(Boolean);
};

const percentOddities = (field, text) => {
  const value = readPercent(text);
  if (Number.isNaN(value))
    return [[field, 'percent-unreadable', 'This is not a number.']];
  if (value !== null && (value < 0 || value > 100))
    return [[field, 'percent-out-of-range', 'A number from 0 to 100 was expected.']];
  return value === 0 && field === 'percent' ? [[field, 'percent-zero', 'This says that nobody would choose it.']] : [];
};

// What is unusual, and may stand: [field, word that is recorded, words for people].
const odditiesOf = (task, answer) => {
  if (task !== 'soft')
    return [];
  const odd = [...percentOddities('percent', answer.percent), ...percentOddities('percent2', answer.percent2)];
  const first = readPercent(answer.percent), second = readPercent(answer.percent2), both = answer.second >= 0 && answer.second !== null;
  if (both && answer.second === answer.first)
    odd.push(['second', 'second-is-first', 'This is your first choice, too.']);
  if (both && second === null)
    odd.push(['percent2', 'second-without-percent', 'Your second choice has no number.']);
  if (!both && second !== null)
    odd.push(['percent2', 'percent-without-second', 'There is a number, but no second choice.']);
  if (both && second > first)
    odd.push(['percent2', 'second-above-first', 'This is more than for your first choice.']);
  if (both && first + second > 100)
    odd.push(['percent2', 'sum-over-100', `The two numbers add up to ${Number((first + second).toFixed(6))}, more than 100.`]);
  for (const [field, chosen] of [['first', answer.first], ['second', both ? answer.second : null]])
    if (chosen !== null && answer.impossible.includes(chosen))
      odd.push(['impossible', `${field}-ruled-out`, `You chose ${study.classes[chosen]} above, and rule it out here.`]);
  return odd;
};

const secondsText = milliseconds => milliseconds === undefined || milliseconds === null ? '' : String(Math.round(milliseconds) / 1000);

const INPUTS = { soft: ['first', 'percent', 'second', 'percent2', 'impossible'], vote: ['first'], rank: ['rank'], mixture: ['human', 'confidence'] };
const INPUT_COLUMNS = { first: 'class', second: 'class2', rank: 'choices' };

const className = c => c === null || c < 0 ? '' : study.classes[c];

// The columns that a task's answers fill.
const answerCells = (answer, item) => {
  if (study.task === 'mixture') {
    const mixture = hidden.mixtures[item];
    return { first: mixture.first, second: mixture.second, first_class: mixture.classes[0], second_class: mixture.classes[1],
             lambda: mixture.lambda, human: String(answer.human / 100), confidence: String(answer.confidence / 100) };
  }
  if (study.task === 'rank')
    return { choices: answer.ranks.map(className).join('|') };
  if (study.task === 'vote')
    return { class: className(answer.first) };
  return { class: className(answer.first), percent: percentText(answer.percent), class2: className(answer.second),
           percent2: percentText(answer.percent2), impossible: answer.impossible.map(className).join('|') };
};

// One row, all texts, of a trial that was answered. `complete`: the session reached its end.
const rowOf = (state, record, complete) => {
  const row = { study: study.id, session: state.session, annotator: state.annotator, batch: String(state.batch + 1),
                trial: String(record.trial + 1), classes: record.trial === 0 ? study.classes.join('|') : '',
                item: hidden.names[record.item] };
  Object.assign(row, answerCells(record.answer, record.item));
  row.gold = hidden.gold[record.item] ?? '';
  row.repeat = record.kind === REPEAT ? '1' : '0';
  row.check = record.kind === CHECK ? '1' : '0';
  row.complete = complete ? '1' : '0';
  row.seconds = secondsText(record.shown);
  row.background = secondsText(record.background);
  for (const input of INPUTS[study.task])
    row[`seconds_${INPUT_COLUMNS[input] ?? input}`] = secondsText(record.inputs[input]);
  row.odd = odditiesOf(study.task, record.answer).map(odd => odd[1]).join('|');
  row.reloads = String(record.reloads);
  if (state.assignment)
    row.assignment = state.assignment;
  return row;
};

const csvCell = text => /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;

const csvOf = rows => [Object.keys(rows[0]), ...rows.map(Object.values)].map(cells => cells.map(csvCell).join(',') + '\n').join('');

const jsonOf = rows => `[\n${rows.map(row => JSON.stringify(row)).join(',\n')}\n]\n`;

const jsonLinesOf = rows => rows.map(row => JSON.stringify(row) + '\n').join('');
