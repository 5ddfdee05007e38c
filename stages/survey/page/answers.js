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
    return [answer.human === null && ['human', say('missingSlider')],
            answer.confidence === null && ['confidence', say('missingSlider')]].filter(Boolean);
  if (task === 'distribution')
    return answer.shares.every(text => !(readPercent(text) > 0)) ? [['distribution', say('missingDistribution')]] : [];
  if (task === 'rank' || task === 'several')
    return answer.ranks.length === 0 ? [['rank', say('missingRank')]]
      : task === 'several' && readPercent(answer.shares[answer.ranks[0]]) === null ? [['percents', say('missingPercent')]] : [];
  const missing = [answer.first === null && ['first', say('missingChoice')]];
  if (task !== 'vote')
    missing.push(readPercent(answer.percent) === null && ['percent', say('missingPercent')],
                 task === 'soft' && study.noAlternative && answer.second === null && ['second', say('missingSecond')]);
  return missing.filter(Boolean);
};

const percentOddities = (field, text) => {
  const value = readPercent(text);
  if (Number.isNaN(value))
    return [[field, 'percent-unreadable', say('oddUnreadable')]];
  if (value !== null && (value < 0 || value > 100))
    return [[field, 'percent-out-of-range', say('oddOutOfRange')]];
  return value === 0 && field === 'percent' ? [[field, 'percent-zero', say('oddZero')]] : [];
};

// What the numbers of a distribution add up to, to the millionth: thirds add up to 100.
const sumOfShares = answer => Number(answer.shares.reduce((sum, text) => sum + (readPercent(text) || 0), 0).toFixed(6));

const eachOnce = odd => odd.filter(([, word], i) => odd.findIndex(other => other[1] === word) === i);

const sharesOddities = answer => {
  const odd = answer.shares.flatMap(text => percentOddities('distribution', text)), sum = sumOfShares(answer);
  if (odd.length === 0 && Math.abs(sum - 100) > 0.5)
    odd.push(['distribution', 'sum-not-100', say('oddSumNot100', { sum })]);
  return eachOnce(odd);
};

const severalOddities = answer => {
  const texts = answer.ranks.map(c => answer.shares[c]), percents = texts.map(readPercent), sum = sumOfShares(answer);
  const odd = texts.flatMap((text, place) => percentOddities(place === 0 ? 'percent' : 'percents', text)).map(([, ...rest]) => ['percents', ...rest]);
  if (percents.slice(1).includes(null))
    odd.push(['percents', 'choice-without-percent', say('oddChoiceWithoutPercent')]);
  if (percents.some((percent, place) => place > 0 && percent > percents[place - 1] && percents[place - 1] !== null))
    odd.push(['percents', 'later-above-earlier', say('oddLaterAboveEarlier')]);
  if (sum > 100)
    odd.push(['percents', 'sum-over-100', say('oddSumOver100', { sum })]);
  const out = answer.ranks.find(c => answer.impossible.includes(c));
  if (out !== undefined)
    odd.push(['impossible', 'chosen-ruled-out', say('oddRuledOut', { class: study.classes[out] })]);
  return eachOnce(odd);
};

// What is unusual, and may stand: [field, word that is recorded, words for people].
const odditiesOf = (task, answer) => {
  if (task === 'distribution')
    return sharesOddities(answer);
  if (task === 'several')
    return severalOddities(answer);
  if (task !== 'soft' && task !== 'single')
    return [];
  const odd = [...percentOddities('percent', answer.percent), ...percentOddities('percent2', answer.percent2)];
  const first = readPercent(answer.percent), second = readPercent(answer.percent2), both = answer.second >= 0 && answer.second !== null;
  if (both && answer.second === answer.first)
    odd.push(['second', 'second-is-first', say('oddSecondIsFirst')]);
  if (both && second === null)
    odd.push(['percent2', 'second-without-percent', say('oddSecondWithoutPercent')]);
  if (!both && second !== null)
    odd.push(['percent2', 'percent-without-second', say('oddPercentWithoutSecond')]);
  if (both && second > first)
    odd.push(['percent2', 'second-above-first', say('oddSecondAboveFirst')]);
  if (both && first + second > 100)
    odd.push(['percent2', 'sum-over-100', say('oddSumOver100', { sum: Number((first + second).toFixed(6)) })]);
  for (const [field, chosen] of [['first', answer.first], ['second', both ? answer.second : null]])
    if (chosen !== null && answer.impossible.includes(chosen))
      odd.push(['impossible', `${field}-ruled-out`, say('oddRuledOut', { class: study.classes[chosen] })]);
  return odd;
};

// Of an answer that is still being given.
const oddMeanwhile = (task, answer) => odditiesOf(task, answer).filter(([, word]) => !['sum-not-100', 'choice-without-percent'].includes(word));

const secondsText = milliseconds => milliseconds === undefined || milliseconds === null ? '' : String(Math.round(milliseconds) / 1000);

const INPUTS = { single: ['first', 'percent', 'impossible'], several: ['rank', 'percents', 'impossible'], soft: ['first', 'percent', 'second', 'percent2', 'impossible'], vote: ['first'], rank: ['rank'], distribution: ['distribution'], mixture: ['human', 'confidence'] };
const INPUT_COLUMNS = { first: 'class', second: 'class2', rank: 'choices', distribution: 'choices' };

const className = c => c === null || c < 0 ? '' : study.classes[c];

// A class with its percent, -1 for what is no number.
const shareCell = (c, percent) => `${className(c).replace(/[\\:|]/g, '\\$&')}${percent === null ? '' : `:${Number.isNaN(percent) ? -1 : percent}`}`;

// Classes with their percents, the most first; those that nobody would choose are left out.
const shareCells = answer => answer.shares.map((text, c) => [c, readPercent(text)])
  .filter(([, percent]) => percent !== null && percent !== 0)
  .sort((a, b) => (b[1] || 0) - (a[1] || 0) || a[0] - b[0])
  .map(([c, percent]) => shareCell(c, percent)).join('|');

// The columns that a task's answers fill.
const answerCells = (answer, item) => {
  if (study.task === 'mixture') {
    const mixture = hidden.mixtures[item];
    return { first: mixture.first, second: mixture.second, first_class: mixture.classes[0], second_class: mixture.classes[1],
             lambda: mixture.lambda, human: String(answer.human / 100), confidence: String(answer.confidence / 100) };
  }
  if (study.task === 'distribution')
    return { choices: shareCells(answer) };
  if (study.task === 'rank')
    return { choices: answer.ranks.map(className).join('|') };
  if (study.task === 'vote')
    return { class: className(answer.first) };
  const impossible = answer.impossible.map(className).join('|');
  if (study.task === 'several')
    return { choices: answer.ranks.map(c => shareCell(c, readPercent(answer.shares[c]))).join('|'), impossible };
  const first = { class: className(answer.first), percent: percentText(answer.percent) };
  return study.task === 'single' ? { ...first, impossible }
    : { ...first, class2: className(answer.second), percent2: percentText(answer.percent2), impossible };
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
