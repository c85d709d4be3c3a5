import { button, byId, fill, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { request, requestJson } from '../lib/request.js';
import { Polling } from './widgets.js';

/** The Profiles tab: takes CPU profiles and heap snapshots of the TV's threads, for Chrome's DevTools. */

const POLL_MS = 1000;
const MIB = 1024 * 1024;

/** @typedef {Awaited<ReturnType<import('../../system/profiles.js').RunningProfiles['status']>>} Status */
/** @typedef {Status['targets'][number]} Target */

const list = h('div');
const problemLine = h('p.bad', { role: 'alert' });
const polling = new Polling(POLL_MS, update, (problem) => setText(problemLine, problem));
let drawn = '';

fill(byId('profiles'), list, problemLine);

/** @param {boolean} show */
export const showProfiles = (show) => polling.show(show);

async function update() {
  const status = await requestJson('/api/profiles');
  if (polling.shown) draw(status);
}

/** Formats a size. @param {number} bytes */
const sizeOf = (bytes) =>
  bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;

/** Names a thread. @param {Target} target the TV calls a worker 'worker 3, bumper' */
function threadName({ id, name }) {
  const [, number, job] = /^worker (\d+), (.*)$/.exec(name) ?? [];
  if (number === undefined) return id === 'main' ? textOf('profiles.main') : name;
  return textOf('profiles.worker', { number, job });
}

/** Takes a heap snapshot after a warning. @param {Target} target */
function confirmHeap(target) {
  const name = threadName(target).replace(',', '');
  const size = sizeOf(2 * target.heapBytes);
  if (confirm(textOf('profiles.heap.warning', { name, size }))) start(target.id, 'heap');
}

/** @param {Status} status */
function draw({ current, failed, files, seconds, targets }) {
  // A button must not be replaced while it is being pressed.
  const state = JSON.stringify([current, failed, files, targets.map(({ id }) => id)]);
  if (state === drawn) return;
  drawn = state;
  const disabled = current !== null;
  const taking = current && { kind: nameOf(current.kind), target: current.target };
  const focused = document.activeElement?.id;
  fill(
    list,
    h('p.muted', textOf('profiles.hint')),
    targets.map((target) => {
      const { id } = target;
      const about = { name: threadName(target), size: sizeOf(target.heapBytes) };
      const cpu = { id: `cpu-${id}`, disabled };
      const heap = { id: `heap-${id}`, disabled };
      return row(
        h('span', textOf('profiles.target', about)),
        button(textOf('profiles.cpu.take', { seconds }), () => start(id, 'cpu'), '', cpu),
        button(textOf('profiles.heap'), () => confirmHeap(target), '', heap),
      );
    }),
    h('p', { role: 'status' }, taking && textOf('profiles.taking', taking)),
    h('p.bad', { role: 'alert' }, failed && `${failed.target}: ${failed.message}`),
    h('h2', textOf('profiles.files')),
    files.map(({ name, bytes }) => {
      const link = h('a', { href: `/api/profiles/${name}`, download: name }, name);
      const remove = () => act(`/${name}`, { method: 'DELETE' });
      return row(
        h('span', link, `, ${sizeOf(bytes)}`),
        button(textOf('profiles.delete'), remove, 'stop', { id: `delete-${name}` }),
      );
    }),
    files.length === 0 && h('p.muted', textOf('admin.none')),
  );
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {...Node} children */
const row = (...children) => h('div.tile.profile.wrap.broken', children);

/** @param {string} kind */
const nameOf = (kind) => textOf(kind === 'cpu' ? 'profiles.cpu' : 'profiles.heap');

/** @param {string} target @param {string} kind */
const start = (target, kind) => act('', { json: { target, kind } });

/** @param {string} path @param {Parameters<typeof request>[1]} options */
const act = (path, options) => polling.act(() => request(`/api/profiles${path}`, options));
