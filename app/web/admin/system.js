import { byId, h, setText } from '../lib/dom.js';
import { confirmButton } from './confirm-button.js';
import { request } from './request.js';
import { factRows, PROCESS_COLUMNS, processRows } from './system-view.js';

/** The System tab: the machine around the TV. */

const REFRESH_MS = 5000;
/** Ends of the machine's life that are asked about twice. */
const WISHES = Object.freeze([
  {
    wish: 'reboot',
    text: 'Reboot',
    sure: 'Really reboot',
    done: 'It reboots; this page comes back by itself.',
  },
  { wish: 'poweroff', text: 'Power off', sure: 'Really power off', done: 'It powers off.' },
]);

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let shown = false;

const facts = h('table', { class: 'facts' });
const processes = h('table');
const problems = h('ul', { class: 'wrong', hidden: true });
const message = h('p', { class: 'bad', role: 'alert' });
const paperState = h('p', { class: 'muted' });
const paperLines = h('pre', { hidden: true });
const paperFiles = h('p', { class: 'row' });
const quick = h('button', {
  type: 'button',
  text: 'Measure, quickly',
  onclick: () => measure(true),
});
const long = h('button', {
  type: 'button',
  class: 'calm',
  text: 'Measure, thoroughly',
  onclick: () => measure(false),
});
const cancel = h('button', {
  type: 'button',
  class: 'stop',
  text: 'Cancel',
  hidden: true,
  onclick: stopMeasuring,
});
const journal = h('pre', { tabIndex: 0, 'aria-label': 'Journal' });
const switches = h('p', { class: 'row' }, ...WISHES.map(wishButton));
const noSwitches = h('p', {
  class: 'muted',
  text: 'This TV is a program among others on its machine.',
});

/** Builds the tab. */
export function setUpSystem() {
  byId('system').replaceChildren(
    problems,
    h('div', { class: 'scroll' }, facts),
    h('h2', { text: 'Memory' }),
    h('div', { class: 'scroll' }, processes),
    h('h2', { text: "The paper's measurement" }),
    h('p', {
      class: 'muted',
      text: 'Threads, processes and the zygote on this machine: start-up, memory, run time. Games stutter meanwhile.',
    }),
    h('p', { class: 'row' }, quick, long, cancel),
    paperState,
    paperLines,
    paperFiles,
    h('h2', { text: 'Journal' }),
    h(
      'p',
      { class: 'row' },
      h('button', { type: 'button', class: 'calm', text: 'Read it', onclick: readJournal }),
    ),
    journal,
    h('h2', { text: 'Switch off' }),
    switches,
    noSwitches,
    message,
  );
  journal.hidden = true;
}

/** @param {boolean} isShown */
export function showSystem(isShown) {
  shown = isShown;
  clearTimeout(timer);
  if (shown) void refresh();
}

async function refresh() {
  clearTimeout(timer);
  try {
    draw(await (await request('/api/system')).json());
    if (message.dataset.from === 'refresh') tell('');
  } catch (error) {
    tell(error instanceof Error ? error.message : 'The TV does not answer.', 'refresh');
  }
  if (shown) timer = setTimeout(refresh, REFRESH_MS);
}

/** @param {string} text @param {string} [from] */
function tell(text, from = '') {
  message.dataset.from = from;
  setText(message, text);
}

/** @param {import('./system-view.js').Facts} system */
function draw(system) {
  problems.hidden = system.problems.length === 0;
  problems.replaceChildren(...system.problems.map((text) => h('li', { text })));
  const rows = factRows(system).map(({ name, text, level = '' }) =>
    h('tr', {}, h('th', { text: name, scope: 'row' }), h('td', { text, class: level })),
  );
  facts.replaceChildren(h('tbody', {}, ...rows));
  processes.replaceChildren(
    h('thead', {}, h('tr', {}, ...PROCESS_COLUMNS.map((text) => h('th', { text, scope: 'col' })))),
    h(
      'tbody',
      {},
      ...processRows(system).map((row) => h('tr', {}, ...row.map((text) => h('td', { text })))),
    ),
  );
  switches.hidden = !system.canSwitchOff;
  noSwitches.hidden = system.canSwitchOff;
  drawPaper(system.paper);
}

/** @param {import('./system-view.js').Facts['paper']} paper */
function drawPaper({ running, startedAt, lines, failure, reportAt }) {
  quick.hidden = running;
  long.hidden = running;
  cancel.hidden = !running;
  const minutes = Math.floor((Date.now() - (startedAt ?? 0)) / 60_000);
  const had = reportAt ? `Last report: ${new Date(reportAt).toLocaleString()}.` : '';
  setText(
    paperState,
    running ? `It runs, for ${minutes} min now.` : failure ? `It failed: ${failure} ${had}` : had,
  );
  paperLines.hidden = !(running || failure) || lines.length === 0;
  setText(paperLines, lines.join('\n'));
  const files = reportAt ? ['report.html', 'results.json', 'samples.csv'] : [];
  const state = `${reportAt}`;
  if (paperFiles.dataset.state === state) return;
  paperFiles.dataset.state = state;
  paperFiles.replaceChildren(
    ...files.map((name) =>
      h('a', { href: `/api/system/paper/${name}`, text: name, download: `pitv-paper-${name}` }),
    ),
  );
}

/** @param {() => Promise<unknown>} what */
async function attempt(what) {
  try {
    tell('');
    await what();
  } catch (error) {
    tell(error instanceof Error ? error.message : 'The TV does not answer.');
  }
  if (shown) await refresh();
}

/** @param {boolean} isQuick */
const measure = (isQuick) =>
  attempt(() => request('/api/system/paper', { json: { quick: isQuick } }));

function stopMeasuring() {
  return attempt(() => request('/api/system/paper', { method: 'DELETE' }));
}

function readJournal() {
  return attempt(async () => {
    const text = await (await request('/api/system/journal?lines=200')).text();
    journal.hidden = false;
    setText(journal, text === '' ? '(empty)' : text);
    journal.scrollTop = journal.scrollHeight;
  });
}

/** @param {typeof WISHES[number]} what */
function wishButton({ wish, text, sure, done }) {
  return confirmButton({
    text,
    sure,
    onConfirm: () =>
      attempt(async () => {
        await request(`/api/system/${wish}`, { method: 'POST' });
        tell(done);
      }),
  });
}
