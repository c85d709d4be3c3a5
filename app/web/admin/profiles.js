import { byId, h } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { Polling } from './polling.js';
import { errorMessage, request } from '../lib/request.js';

/** The Profiles tab: takes CPU profiles and heap snapshots of the TV's threads, for Chrome's DevTools. */

const POLL_MS = 1000;
const MIB = 1024 * 1024;

/**
 * @typedef {object} Status
 * @property {{kind: string, target: string, startedAt: number, seconds: number} | null} current
 * @property {{target: string, kind: string, message: string} | null} failed
 * @property {number} seconds
 * @property {{id: string, name: string, heapBytes: number}[]} targets
 * @property {{name: string, bytes: number, at: number}[]} files
 */

const polling = new Polling(POLL_MS, update);
let drawn = '';

/** @param {boolean} show */
export function showProfiles(show) {
  drawn = '';
  polling.show(show);
}

async function update() {
  try {
    const status = await (await request('/api/profiles')).json();
    if (polling.shown) draw(status);
  } catch (error) {
    if (polling.shown) tell(error);
  }
}

/** @param {unknown} error */
function tell(error) {
  byId('profiles').replaceChildren(
    h('p', {
      class: 'bad',
      role: 'alert',
      text: errorMessage(error),
    }),
  );
  drawn = '';
}

/** Formats a size. @param {number} bytes */
const sizeOf = (bytes) =>
  bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;

/** Names a thread. @param {{id: string, name: string}} target the TV calls a worker 'worker 3, bumper' */
function threadName({ id, name }) {
  const [, number, job] = /^worker (\d+), (.*)$/.exec(name) ?? [];
  if (number === undefined) return id === 'main' ? textOf('profiles.main') : name;
  return textOf('profiles.worker', { number, job });
}

/** @param {{id: string, name: string, heapBytes: number}} target */
const warningFor = (target) =>
  textOf('profiles.heap.warning', {
    name: threadName(target).replace(',', ''),
    size: sizeOf(2 * target.heapBytes),
  });

/** @param {Status} status */
function draw(status) {
  // A button must not be replaced while it is being pressed.
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
      text: textOf('profiles.hint'),
    }),
    ...targets.map((target) =>
      h(
        'div',
        { class: 'tile profile' },
        h('span', {
          text: textOf('profiles.target', {
            name: threadName(target),
            size: sizeOf(target.heapBytes),
          }),
        }),
        button(`cpu-${target.id}`, textOf('profiles.cpu.take', { seconds }), !!current, () =>
          start(target.id, 'cpu'),
        ),
        button(`heap-${target.id}`, textOf('profiles.heap'), !!current, () => {
          if (confirm(warningFor(target))) start(target.id, 'heap');
        }),
      ),
    ),
    h('p', {
      role: 'status',
      text: current
        ? textOf('profiles.taking', { kind: nameOf(current.kind), target: current.target })
        : '',
    }),
    h('p', {
      class: 'bad',
      role: 'alert',
      text: failed ? `${failed.target}: ${failed.message}` : '',
    }),
    h('h2', { text: textOf('profiles.files') }),
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
        button(
          `delete-${name}`,
          textOf('profiles.delete'),
          false,
          () => act(name, { method: 'DELETE' }),
          'stop',
        ),
      ),
    ),
    h('p', { class: 'muted', text: files.length === 0 ? textOf('admin.none') : '' }),
  );
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {string} kind */
const nameOf = (kind) => textOf(kind === 'cpu' ? 'profiles.cpu' : 'profiles.heap');

/**
 * @param {string} id @param {string} text @param {boolean} disabled @param {() => unknown} onclick
 * @param {string} [look]
 */
const button = (id, text, disabled, onclick, look) =>
  h('button', { id, type: 'button', text, disabled, onclick, class: look });

/** @param {string} target @param {string} kind */
const start = (target, kind) => act('', { json: { target, kind } });

/** @param {string} name @param {Parameters<typeof request>[1]} options */
async function act(name, options) {
  try {
    await request(`/api/profiles${name && `/${name}`}`, options);
    void polling.refresh();
  } catch (error) {
    tell(error);
    polling.wait(4 * POLL_MS);
  }
}
