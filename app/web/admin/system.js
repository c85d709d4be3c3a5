import { button, byId, fill, fillList, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { problemText } from '../lib/reports.js';
import { request, requestJson } from '../lib/request.js';
import { plotsOf } from './history-plots.js';
import { drawPlots } from './plots.js';
import { factRows, processTable } from './system-view.js';
import { createUpdates } from './updates.js';
import { Polling, confirmButton, drawTable } from './widgets.js';

/** The System tab: the machine around the TV, and the TV's last hour. */

const REFRESH_MS = 5000;
const MINUTE_MS = 60_000;
const PAPER_FILES = Object.freeze(['report.txt', 'results.json']);

const message = h('p.bad', { role: 'alert' });
const load = () => Promise.all(['', '/history'].map((path) => requestJson(`/api/system${path}`)));
export const polling = new Polling(REFRESH_MS, load, draw, message);

const plots = h('div.plots');
const facts = h('table.facts.broken');
const processes = h('table', { id: 'processes' });
const problems = h('ul.wrong', { hidden: true });
const paperState = h('p.muted');
const paperLines = h('pre', { hidden: true });
const paperFiles = h(
  'p.wrap',
  { hidden: true },
  PAPER_FILES.map((name) =>
    h('a', { href: `/api/system/paper/${name}`, download: `pitv-paper-${name}` }, name),
  ),
);
const quick = button(textOf('system.paper.quick'), () => measure(true));
const long = button(textOf('system.paper.long'), () => measure(false), 'calm');
const cancel = button(textOf('system.paper.cancel'), stopMeasuring, 'stop', { hidden: true });
const journal = h('pre', { tabIndex: 0, hidden: true, 'aria-label': textOf('system.journal') });
const updates = createUpdates(() => polling.refresh());
const volumeText = h('output');
const volume = h('input', {
  type: 'range',
  max: '100',
  step: '5',
  'aria-label': textOf('system.volume'),
  oninput: showVolume,
  onchange: () => post('volume', { percent: Number(volume.value) }),
});
const switched = h('p', { role: 'status' });
const switches = h('p.wrap', powerButton('reboot'), powerButton('poweroff'));
const noSwitches = h('p.muted', textOf('system.off.none'));

fill(
  byId('system'),
  problems,
  h('div.scroll', facts),
  h('h2', textOf('system.volume')),
  h('p.wrap', volume, volumeText),
  h('h2', textOf('system.hour')),
  plots,
  h('h2', textOf('fact.memory')),
  h('div.scroll', processes),
  h('p.muted', textOf('system.memory.hint')),
  updates.element,
  h('h2', textOf('system.paper')),
  h('p.muted', textOf('system.paper.hint')),
  h('p.wrap', quick, long, cancel),
  paperState,
  paperLines,
  paperFiles,
  h('h2', textOf('system.journal')),
  h('p.wrap', button(textOf('system.journal.read'), readJournal, 'calm')),
  journal,
  h('h2', textOf('system.off')),
  switches,
  noSwitches,
  switched,
  message,
);

function showVolume() {
  setText(volumeText, `${volume.value} %`);
}

/** @param {[import('./system-view.js').Facts, import('../../system/history.js').History]} answers */
function draw([system, history]) {
  drawPlots(plots, plotsOf(history));
  fillList(
    problems,
    system.problems.map((problem) => problemText(problem)),
  );
  const rows = factRows(system).map(({ name, text, level }) =>
    h('tr', h('th', { scope: 'row' }, name), h('td', { class: level }, text)),
  );
  fill(facts, h('tbody', rows));
  if (document.activeElement !== volume) {
    volume.value = String(system.volume);
    showVolume();
  }
  const table = processTable(system);
  drawTable('processes', table.columns, table.items);
  switches.hidden = !system.canSwitchOff;
  noSwitches.hidden = system.canSwitchOff;
  updates.draw(system.update);
  drawPaper(system.paper);
}

/** @param {import('./system-view.js').Facts['paper']} paper */
function drawPaper({ runningMs, lines, failure, reportAt }) {
  const isRunning = runningMs !== null;
  quick.hidden = long.hidden = isRunning;
  cancel.hidden = !isRunning;
  const time = reportAt && new Date(reportAt).toLocaleString();
  const last = time ? textOf('system.paper.last', { time }) : '';
  const ended = failure ? textOf('system.paper.failed', { reason: failure, last }) : last;
  const minutes = Math.floor(Number(runningMs) / MINUTE_MS);
  setText(paperState, isRunning ? textOf('system.paper.running', { minutes }) : ended);
  paperLines.hidden = !(isRunning || failure) || lines.length === 0;
  setText(paperLines, lines.join('\n'));
  paperFiles.hidden = !reportAt;
}

/** Posts something to the system, and refreshes the tab. @param {string} path @param {object} [json] */
const post = (path, json = {}) => polling.act(() => request(`/api/system/${path}`, { json }));

/** @param {boolean} isQuick */
const measure = (isQuick) => post('paper', { quick: isQuick });

function stopMeasuring() {
  return polling.act(() => request('/api/system/paper', { method: 'DELETE' }));
}

function readJournal() {
  return polling.act(async () => {
    const text = await (await request('/api/system/journal?lines=200')).text();
    journal.hidden = false;
    setText(journal, text === '' ? textOf('system.journal.empty') : text);
    journal.scrollTop = journal.scrollHeight;
  });
}

/** @param {'reboot' | 'poweroff'} action */
function powerButton(action) {
  return confirmButton(`system.${action}`, () =>
    polling.act(async () => {
      await request(`/api/system/${action}`, { method: 'POST' });
      setText(switched, textOf(`system.${action}.done`));
    }),
  );
}
