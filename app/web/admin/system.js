import { button, byId, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { problemText } from '../lib/reports.js';
import { plotsOf } from './history-plots.js';
import { HourOfSamples } from './hour-of-samples.js';
import { Plots } from './plots.js';
import { errorMessage, request } from '../lib/request.js';
import { factRows, processTable } from './system-view.js';
import { createUpdates } from './updates.js';
import { Polling, confirmButton, drawTable } from './widgets.js';

/** The System tab: the machine around the TV, and the TV's last hour. */

const REFRESH_MS = 5000;
/** Buttons that have to be pressed twice. */
const POWER_ACTIONS = Object.freeze([
  {
    action: 'reboot',
    text: textOf('system.reboot'),
    sure: textOf('system.reboot.sure'),
    done: textOf('system.reboot.done'),
  },
  {
    action: 'poweroff',
    text: textOf('system.poweroff'),
    sure: textOf('system.poweroff.sure'),
    done: textOf('system.poweroff.done'),
  },
]);

const polling = new Polling(REFRESH_MS, update, (problem) => {
  if (problem || message.dataset.from === 'refresh') tell(problem, 'refresh');
});

const hour = new HourOfSamples();
const plots = new Plots();
const noPlots = h('p', { class: 'muted', hidden: true });
const facts = h('table', { class: 'facts' });
const processes = h('table', { id: 'processes' });
const problems = h('ul', { class: 'wrong', hidden: true });
const message = h('p', { class: 'bad', role: 'alert' });
const paperState = h('p', { class: 'muted' });
const paperLines = h('pre', { hidden: true });
const paperFiles = h('p', { class: 'row' });
const quick = button(textOf('system.paper.quick'), () => measure(true));
const long = button(textOf('system.paper.long'), () => measure(false), 'calm');
const cancel = button(textOf('system.paper.cancel'), stopMeasuring, 'stop', { hidden: true });
const journal = h('pre', { tabIndex: 0, hidden: true, 'aria-label': textOf('system.journal') });
const updates = createUpdates(() => polling.refresh());
const volumeText = h('output', {});
const volume = /** @type {HTMLInputElement} */ (
  h('input', {
    type: 'range',
    max: '100',
    step: '5',
    'aria-label': textOf('system.volume'),
    oninput: showVolume,
    onchange: () =>
      attempt(() => request('/api/system/volume', { json: { percent: Number(volume.value) } })),
  })
);
const switches = h('p', { class: 'row' }, ...POWER_ACTIONS.map(powerButton));
const noSwitches = h('p', { class: 'muted', text: textOf('system.off.none') });

/** Builds the tab. */
export function setUpSystem() {
  byId('system').replaceChildren(
    problems,
    h('div', { class: 'scroll' }, facts),
    h('h2', { text: textOf('system.volume') }),
    h('p', { class: 'row' }, volume, volumeText),
    h('h2', { text: textOf('system.hour') }),
    plots.element,
    noPlots,
    h('h2', { text: textOf('fact.memory') }),
    h('div', { class: 'scroll' }, processes),
    h('p', { class: 'muted hint', text: textOf('system.memory.hint') }),
    updates.element,
    h('h2', { text: textOf('system.paper') }),
    h('p', { class: 'muted', text: textOf('system.paper.hint') }),
    h('p', { class: 'row' }, quick, long, cancel),
    paperState,
    paperLines,
    paperFiles,
    h('h2', { text: textOf('system.journal') }),
    h('p', { class: 'row' }, button(textOf('system.journal.read'), readJournal, 'calm')),
    journal,
    h('h2', { text: textOf('system.off') }),
    switches,
    noSwitches,
    message,
  );
}

/** @param {boolean} isShown */
export const showSystem = (isShown) => polling.show(isShown);

async function update() {
  draw(await (await request('/api/system')).json());
  await drawPlots();
}

/** Requests the new samples and draws the plots. */
async function drawPlots() {
  const fetchAfter = async (/** @type {number} */ after) =>
    (await request(`/api/system/history?after=${after}`)).json();
  if (!hour.add(await fetchAfter(hour.newest))) hour.add(await fetchAfter(-1));
  if (!polling.shown) return;
  try {
    await plots.draw(plotsOf(hour));
    noPlots.hidden = true;
  } catch (error) {
    noPlots.hidden = false;
    setText(noPlots, error instanceof Error ? error.message : textOf('system.plots.failed'));
  }
}

/** Shows a message. @param {string} text @param {string} [from] the function that may clear it */
function tell(text, from = '') {
  message.dataset.from = from;
  setText(message, text);
}

function showVolume() {
  setText(volumeText, `${volume.value} %`);
}

/** @param {import('./system-view.js').Facts} system */
function draw(system) {
  problems.hidden = system.problems.length === 0;
  problems.replaceChildren(
    ...system.problems.map((problem) => h('li', { text: problemText(problem) })),
  );
  const rows = factRows(system).map(({ name, text, level = '' }) =>
    h('tr', {}, h('th', { text: name, scope: 'row' }), h('td', { text, class: level })),
  );
  facts.replaceChildren(h('tbody', {}, ...rows));
  if (document.activeElement !== volume) {
    volume.value = String(system.volume);
    showVolume();
  }
  const table = processTable(system);
  const columns = table.columns.map(
    (title, i) => /** @type {import('./widgets.js').Column<string[]>} */ ([title, (row) => row[i]]),
  );
  drawTable('processes', columns, table.rows);
  switches.hidden = !system.canSwitchOff;
  noSwitches.hidden = system.canSwitchOff;
  updates.draw(system.update);
  drawPaper(system.paper);
}

/** @param {import('./system-view.js').Facts['paper']} paper */
function drawPaper({ runningMs, lines, failure, reportAt }) {
  const running = runningMs !== null;
  quick.hidden = running;
  long.hidden = running;
  cancel.hidden = !running;
  const last = reportAt
    ? textOf('system.paper.last', { time: new Date(reportAt).toLocaleString() })
    : '';
  setText(
    paperState,
    running
      ? textOf('system.paper.running', { minutes: Math.floor(runningMs / 60_000) })
      : failure
        ? textOf('system.paper.failed', { reason: failure, last })
        : last,
  );
  paperLines.hidden = !(running || failure) || lines.length === 0;
  setText(paperLines, lines.join('\n'));
  const files = reportAt ? ['report.txt', 'results.json'] : [];
  const state = `${reportAt}`;
  if (paperFiles.dataset.state === state) return;
  paperFiles.dataset.state = state;
  paperFiles.replaceChildren(
    ...files.map((name) =>
      h('a', { href: `/api/system/paper/${name}`, text: name, download: `pitv-paper-${name}` }),
    ),
  );
}

/** Runs an action, shows its error and refreshes the tab. @param {() => Promise<unknown>} action */
async function attempt(action) {
  try {
    tell('');
    await action();
  } catch (error) {
    tell(errorMessage(error));
  }
  if (polling.shown) await polling.refresh();
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
    setText(journal, text === '' ? textOf('system.journal.empty') : text);
    journal.scrollTop = journal.scrollHeight;
  });
}

/** @param {typeof POWER_ACTIONS[number]} options */
function powerButton({ action, text, sure, done }) {
  return confirmButton({
    text,
    sure,
    onConfirm: () =>
      attempt(async () => {
        await request(`/api/system/${action}`, { method: 'POST' });
        tell(done);
      }),
  });
}
