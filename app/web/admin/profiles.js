import { byId, h } from '../lib/dom.js';
import { request } from './request.js';

/** The Profiles tab: has a thread of the TV write down what it does, for Chrome's DevTools. */

const LOOK_MS = 1000;
const MIB = 1024 * 1024;

/**
 * @typedef {object} Status
 * @property {{kind: string, target: string, startedAt: number, seconds: number} | null} current
 * @property {{target: string, kind: string, message: string} | null} failed
 * @property {number} seconds
 * @property {{id: string, name: string, heapBytes: number}[]} targets
 * @property {{name: string, bytes: number, at: number}[]} files
 */

let shown = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let drawn = '';

/** @param {boolean} show */
export function showProfiles(show) {
  shown = show;
  clearTimeout(timer);
  drawn = '';
  if (show) look();
}

async function look() {
  clearTimeout(timer);
  try {
    const status = await (await request('/api/profiles')).json();
    if (shown) draw(status);
  } catch (error) {
    if (shown) tell(error);
  }
  if (shown) timer = setTimeout(look, LOOK_MS);
}

/** @param {unknown} error */
function tell(error) {
  byId('profiles').replaceChildren(
    h('p', {
      class: 'bad',
      role: 'alert',
      text: error instanceof Error ? error.message : 'The TV does not answer.',
    }),
  );
  drawn = '';
}

/** @param {number} bytes */
const sizeOf = (bytes) =>
  bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;

/** @param {{name: string, heapBytes: number}} target */
const warningFor = ({ name, heapBytes }) =>
  `While its heap is written down, the ${name.replace(',', ' with')} stands still for seconds and needs ` +
  `about ${sizeOf(2 * heapBytes)} of memory. Go on?`;

/** @param {Status} status */
function draw(status) {
  // A button under the pointer must not be swapped for another one just as it is pressed.
  const state = JSON.stringify([
    status.current,
    status.failed,
    status.files,
    status.targets.map(({ id }) => id),
  ]);
  if (state === drawn) return;
  drawn = state;
  const { current, failed, seconds, targets, files } = status;
  const focused = document.activeElement?.id;
  byId('profiles').replaceChildren(
    h('p', {
      class: 'muted',
      text:
        'What a thread does and what is in its memory. Load the file in Chrome: DevTools, Performance ' +
        '(.cpuprofile) or Memory (.heapsnapshot).',
    }),
    ...targets.map((target) =>
      h(
        'div',
        { class: 'tile profile' },
        h('span', { text: `${target.name}, heap ${sizeOf(target.heapBytes)}` }),
        button(`cpu-${target.id}`, `CPU profile, ${seconds} s`, !!current, () =>
          start(target.id, 'cpu'),
        ),
        button(`heap-${target.id}`, 'Heap snapshot', !!current, () => {
          if (confirm(warningFor(target))) start(target.id, 'heap');
        }),
      ),
    ),
    h('p', {
      role: 'status',
      text: current ? `${nameOf(current.kind)} of ${current.target} …` : '',
    }),
    h('p', {
      class: 'bad',
      role: 'alert',
      text: failed ? `${failed.target}: ${failed.message}` : '',
    }),
    h('h2', { text: 'Files' }),
    ...files.map(({ name, bytes }) =>
      h(
        'div',
        { class: 'tile profile' },
        h(
          'span',
          {},
          h('a', { href: `/api/profiles/${name}`, download: name, text: name }),
          `, ${sizeOf(bytes)}`,
        ),
        button(`delete-${name}`, 'Delete', false, () => act(name, { method: 'DELETE' }), 'stop'),
      ),
    ),
    h('p', { class: 'muted', text: files.length === 0 ? 'none' : '' }),
  );
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {string} kind */
const nameOf = (kind) => (kind === 'cpu' ? 'CPU profile' : 'Heap snapshot');

/** @param {string} id @param {string} text @param {boolean} disabled @param {() => unknown} onclick @param {string} [look] */
const button = (id, text, disabled, onclick, look) =>
  h('button', { id, type: 'button', text, disabled, onclick, class: look });

/** @param {string} target @param {string} kind */
const start = (target, kind) => act('', { json: { target, kind } });

/** @param {string} name @param {Parameters<typeof request>[1]} options */
async function act(name, options) {
  try {
    await request(`/api/profiles${name && `/${name}`}`, options);
    look();
  } catch (error) {
    tell(error);
    timer = setTimeout(look, 4 * LOOK_MS);
  }
}
