import { button, byId, fill, h, redraw, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { request, requestJson } from '../lib/request.js';
import { size } from './view.js';
import { Polling } from './widgets.js';

/** The Profiles tab: takes CPU profiles and heap snapshots of the TV's threads, for Chrome's DevTools. */

const POLL_MS = 1000;

/** @typedef {import('../../system/profiles.js').RunningProfiles['targets'][number]} Target */

const list = h('div');
const state = h('p', { role: 'status' });
/** Links to the profiles that this page has taken. */
const files = h('div');
const filesTitle = h('h2', { hidden: true }, textOf('profiles.files'));
const problemLine = h('p.bad', { role: 'alert' });
const load = () => requestJson('/api/profiles');
export const polling = new Polling(POLL_MS, load, draw, problemLine);
let isTaking = false;

fill(
  byId('profiles'),
  h('p.muted', textOf('profiles.hint')),
  list,
  state,
  problemLine,
  filesTitle,
  files,
);

/** Names a thread. @param {Target} target the TV calls a worker 'worker 3, bumper' */
function threadName({ id, name }) {
  const [, number, job] = /^worker (\d+), (.*)$/.exec(name) ?? [];
  if (number === undefined) return id === 'main' ? textOf('profiles.main') : name;
  return textOf('profiles.worker', { number, job });
}

/** Takes a heap snapshot after a warning. @param {Target} target */
function confirmHeap(target) {
  const name = threadName(target).replace(',', '');
  const text = textOf('profiles.heap.warning', { name, size: size(2 * target.heapBytes) });
  if (confirm(text)) take(target.id, 'heap');
}

/** @param {{seconds: number, targets: Target[]}} status */
function draw({ seconds, targets }) {
  const disabled = isTaking;
  redraw(list, [isTaking, targets.map(({ id }) => id)], () =>
    targets.map((target) => {
      const { id } = target;
      const about = { name: threadName(target), size: size(target.heapBytes) };
      const cpu = { id: `cpu-${id}`, disabled };
      const heap = { id: `heap-${id}`, disabled };
      return h(
        'div.tile.profile.wrap.broken',
        h('span', textOf('profiles.target', about)),
        button(textOf('profiles.cpu.take', { seconds }), () => take(id, 'cpu'), '', cpu),
        button(textOf('profiles.heap'), () => confirmHeap(target), '', heap),
      );
    }),
  );
}

/** Takes a profile, and shows a link to it. @param {string} target @param {'cpu' | 'heap'} kind */
async function take(target, kind) {
  isTaking = true;
  setText(state, textOf('profiles.taking', { kind: textOf(`profiles.${kind}`), target }));
  void polling.refresh();
  await polling.act(async () => {
    try {
      const answer = await request('/api/profiles', { json: { target, kind } });
      const blob = await answer.blob();
      const [, name = kind] =
        /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
      const link = h('a', { href: URL.createObjectURL(blob), download: name }, name);
      filesTitle.hidden = false;
      files.prepend(h('p', link, `, ${size(blob.size)}`));
    } finally {
      isTaking = false;
      setText(state, '');
    }
  });
}
