import { button, byId, h } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { errorMessage, request } from '../lib/request.js';
import { Polling } from './widgets.js';

/** The Profiles tab: takes CPU profiles and heap snapshots of the TV's threads, for Chrome's DevTools. */

const POLL_MS = 1000;
const MIB = 1024 * 1024;

/** @typedef {Awaited<ReturnType<import('../../system/profiles.js').RunningProfiles['status']>>} Status */

const polling = new Polling(POLL_MS, update, (problem) => problem && tell(problem));
let drawn = '';

/** @param {boolean} show */
export function showProfiles(show) {
  drawn = '';
  polling.show(show);
}

async function update() {
  const status = await (await request('/api/profiles')).json();
  if (polling.shown) draw(status);
}

/** @param {string} text */
function tell(text) {
  byId('profiles').replaceChildren(h('p', { class: 'bad', role: 'alert', text }));
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
  const taking = current && { kind: nameOf(current.kind), target: current.target };
  const failure = failed ? `${failed.target}: ${failed.message}` : '';
  const focused = document.activeElement?.id;
  byId('profiles').replaceChildren(
    h('p', { class: 'muted', text: textOf('profiles.hint') }),
    ...targets.map((target) => {
      const { id } = target;
      const about = { name: threadName(target), size: sizeOf(target.heapBytes) };
      const take = textOf('profiles.cpu.take', { seconds });
      return row(
        h('span', { text: textOf('profiles.target', about) }),
        button(take, () => start(id, 'cpu'), '', { id: `cpu-${id}`, disabled }),
        button(textOf('profiles.heap'), () => confirmHeap(target), '', {
          id: `heap-${id}`,
          disabled,
        }),
      );
    }),
    h('p', { role: 'status', text: taking ? textOf('profiles.taking', taking) : '' }),
    h('p', { class: 'bad', role: 'alert', text: failure }),
    h('h2', { text: textOf('profiles.files') }),
    ...files.map(({ name, bytes }) => {
      const link = h('a', { href: `/api/profiles/${name}`, download: name, text: name });
      const remove = () => act(name, { method: 'DELETE' });
      return row(
        h('span', {}, link, `, ${sizeOf(bytes)}`),
        button(textOf('profiles.delete'), remove, 'stop', { id: `delete-${name}` }),
      );
    }),
    h('p', { class: 'muted', text: files.length === 0 ? textOf('admin.none') : '' }),
  );
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {...Node} children */
const row = (...children) => h('div', { class: 'tile profile' }, ...children);

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
    tell(errorMessage(error));
    polling.wait(4 * POLL_MS);
  }
}
