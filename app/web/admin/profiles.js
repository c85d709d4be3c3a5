import { button, byId, h } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { errorMessage, request } from '../lib/request.js';
import { Polling } from './widgets.js';

/** The Profiles tab: takes CPU profiles and heap snapshots of the TV's threads, for Chrome's DevTools. */

const POLL_MS = 1000;
const MIB = 1024 * 1024;

/** @typedef {Awaited<ReturnType<import('../../system/profiles.js').RunningProfiles['status']>>} Status */

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
    h('p', { class: 'bad', role: 'alert', text: errorMessage(error) }),
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

/** Takes a heap snapshot after a warning. @param {{id: string, name: string, heapBytes: number}} target */
function confirmHeap(target) {
  const name = threadName(target).replace(',', '');
  const size = sizeOf(2 * target.heapBytes);
  if (confirm(textOf('profiles.heap.warning', { name, size }))) start(target.id, 'heap');
}

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
  const disabled = current !== null;
  const focused = document.activeElement?.id;
  byId('profiles').replaceChildren(
    h('p', { class: 'muted', text: textOf('profiles.hint') }),
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
        button(textOf('profiles.cpu.take', { seconds }), () => start(target.id, 'cpu'), '', {
          id: `cpu-${target.id}`,
          disabled,
        }),
        button(textOf('profiles.heap'), () => confirmHeap(target), '', {
          id: `heap-${target.id}`,
          disabled,
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
        button(textOf('profiles.delete'), () => act(name, { method: 'DELETE' }), 'stop', {
          id: `delete-${name}`,
        }),
      ),
    ),
    h('p', { class: 'muted', text: files.length === 0 ? textOf('admin.none') : '' }),
  );
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {string} kind */
const nameOf = (kind) => textOf(kind === 'cpu' ? 'profiles.cpu' : 'profiles.heap');

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
