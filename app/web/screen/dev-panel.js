import { fill, h, redraw } from '../lib/dom.js';
import { keyLetter } from '../lib/keys.js';
import { text as textOf } from '../lib/language.js';

/**
 * The panel of a game that its author edits: errors with their source, times of ticks, what a tick leaves, and output.
 */

const KIB = 1024;

/** @typedef {import('../../dev/tick-report.js').TickReport} TickReport */

const panel = h('aside.dev-panel.broken', { 'aria-label': textOf('dev.title') });
const card = h('section.dev-problem.broken', { role: 'alert', hidden: true });

document.head.append(h('link', { rel: 'stylesheet', href: '/screen/dev.css' }));
document.body.append(panel, card);
document.addEventListener('keydown', (event) => {
  if (keyLetter(event) === 'D') panel.hidden = !panel.hidden;
});

/** Shows the state. @param {import('../../dev/dev-session.js').DevState} state */
export function showDev({ title, reload, problem, warnings, report, output }) {
  card.hidden = !problem;
  redraw(card, problem, () => problem && problemParts(problem));
  fill(
    panel,
    h('h2.line', title || textOf('dev.title'), h('small.muted', textOf('dev.hide'))),
    reload && h('p.dev-reload', textOf(`dev.${reload.how}`, { ms: reload.ms })),
    report && [histogram(report), numbers(report)],
    warnings.length > 0 &&
      h(
        'ul.dev-warnings',
        warnings.map((text) => h('li', text)),
      ),
    output.length > 0 && h('pre.dev-output.column', output.join('\n')),
  );
}

/** @param {import('../../dev/dev-session.js').Problem} problem */
function problemParts({ sentence, source, plays }) {
  return [
    h('p.dev-sentence', sentence),
    source && h('pre', h('b', `${source.file}:${source.line}\n`), source.lines.map(sourceLine)),
    h('p', textOf(plays ? 'dev.plays' : 'dev.waits')),
  ];

  /** @param {{number: number, text: string}} line */
  function sourceLine({ number, text }) {
    const shown = `${String(number).padStart(4)}  ${text}\n`;
    return h(number === source?.line ? 'span.dev-line' : 'span', shown);
  }
}

/** Draws the times of the ticks, with the budgets of the boards. @param {TickReport} report */
function histogram({ counts, bucketMicros, boards, micros }) {
  const last = bucketMicros.findIndex(
    (least, i) =>
      least > Math.max(...boards.map(({ budgetMicros }) => budgetMicros)) &&
      counts.slice(i).every((count) => count === 0),
  );
  const shown = counts.slice(0, last < 0 ? counts.length : last + 1);
  const most = Math.max(...shown);
  const octave = Math.log2(bucketMicros[1] / bucketMicros[0]);
  const bars = shown.map((count) => {
    // The root lets single ticks be seen beside thousands.
    const percent = count > 0 ? Math.max(3, 100 * Math.sqrt(count / most)) : 0;
    return h('i', { style: `height: ${percent.toFixed(1)}%` });
  });
  const marks = boards.map(({ title, budgetMicros }) => {
    const bucket = Math.log2(budgetMicros / bucketMicros[0]) / octave;
    const left = Math.min(100, (100 * bucket) / shown.length);
    return h('u', { style: `left: ${left.toFixed(1)}%` }, h('span', title));
  });
  const late = boards.map(({ title: board, late: share }) => {
    const text = textOf('dev.late', { board, percent: percentText(share) });
    return h('li', { 'data-late': share > 0 }, text);
  });
  return h(
    'div.dev-times',
    h('p', textOf('dev.time', { time: timeText(micros) })),
    h('div.dev-bars', bars, marks),
    h('ul.wrap', late),
  );
}

/** @param {TickReport} report */
function numbers({ bodies, contacts, frameBytes, garbageBytes }) {
  const rows = [
    [textOf('dev.bodies'), bodies],
    [textOf('dev.contacts'), contacts],
    [textOf('dev.frame'), sizeText(frameBytes)],
    [textOf('dev.garbage'), garbageBytes === null ? '–' : sizeText(garbageBytes)],
  ];
  return h(
    'dl',
    rows.map(([name, value]) => [h('dt.muted', name), h('dd', value)]),
  );
}

/** @param {number} share 0..1 */
const percentText = (share) => (share > 0 && share < 0.001 ? '<0.1' : (100 * share).toFixed(1));
/** @param {number} micros */
const timeText = (micros) =>
  micros < 1000 ? `${Math.round(micros)} µs` : `${(micros / 1000).toFixed(1)} ms`;
/** @param {number} bytes */
const sizeText = (bytes) => (bytes < KIB ? `${bytes} B` : `${(bytes / KIB).toFixed(1)} KiB`);
