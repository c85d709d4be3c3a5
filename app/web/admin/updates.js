import { button, fillList, h, setText } from '../lib/dom.js';
import { hasText, text as textOf } from '../lib/language.js';
import { problemText } from '../lib/reports.js';
import { errorMessage, request, requestJson } from '../lib/request.js';

/**
 * Updates on the System tab: the two systems of the card, an upload with its progress, and a look for a newer version.
 */

/** @typedef {import('../../system/updates.js').UpdateState} UpdateState */

/** Of each request, so that none takes long on a slow network. */
const PART_BYTES = 256 * 1024;

/** Describes one of the systems. @param {UpdateState['systems'][number]} system @returns {string} */
export function systemText({ name, running, good, version = textOf('update.noVersion'), failure }) {
  if (failure) return textOf('update.failed', { name, version, failure: problemText(failure) });
  const state = running ? 'update.running' : good ? 'update.waiting' : 'update.unusable';
  return textOf(state, { name, version });
}

/** Describes the last report. @param {UpdateState['progress']} progress @returns {string} empty without one */
export function progressText(progress) {
  if (!progress) return '';
  const { phase, percent = 0, version = '', problem = '' } = progress;
  if (phase === 'failed') return problemText(problem);
  const key = `update.${phase}`;
  return hasText(key) ? textOf(key, { percent, version }) : '';
}

/**
 * Makes the section.
 * @param {() => unknown} refresh shows the new state
 * @returns {{element: HTMLElement, draw: (state: UpdateState | null) => void}} draw: hides the section for null
 */
export function createUpdates(refresh) {
  const systems = h('ul');
  const file = h('input', { type: 'file', id: 'update-file', accept: '.raucb' });
  const ask = (/** @type {'look' | 'again'} */ what) =>
    attempt(() => request(`/api/system/update/${what}`, { method: 'POST' }));
  const look = button(textOf('update.look'), () => ask('look'), 'calm');
  const again = button(textOf('update.again'), () => ask('again'), 'calm', { hidden: true });
  const bar = h('progress', { max: 100, hidden: true });
  const message = h('p', { role: 'status', id: 'update-message' });
  const element = h(
    'section',
    { hidden: true, id: 'updates' },
    h('h2', textOf('update')),
    h('p.muted', textOf('update.hint')),
    systems,
    h('p.wrap', h('label', textOf('update.file'), file), look, again),
    bar,
    message,
  );
  let uploading = false;

  /** @param {string} text @param {number} [percent] a bar is shown with it */
  const tell = (text, percent) => {
    setText(message, text);
    bar.hidden = percent === undefined;
    if (percent !== undefined) bar.value = percent;
    bar.setAttribute('aria-label', text);
  };

  /** @param {() => Promise<unknown>} action */
  const attempt = async (action) => {
    message.className = '';
    file.disabled = look.disabled = again.disabled = uploading = true;
    const problem = await action().then(() => '', errorMessage);
    uploading = false;
    if (!problem) return refresh(); // the new state decides what is enabled
    message.className = 'bad';
    tell(problem);
    file.disabled = look.disabled = again.disabled = false;
  };

  file.onchange = () => {
    const [bundle] = file.files ?? [];
    if (!bundle) return;
    const onProgress = (/** @type {number} */ percent) =>
      tell(textOf('update.uploading', { percent }), percent);
    void attempt(() => upload(bundle, onProgress)).then(() => (file.value = ''));
  };

  return {
    element,
    draw(state) {
      element.hidden = state === null;
      if (!state || uploading) return;
      fillList(
        systems,
        state.systems.map((each) => systemText(each)),
      );
      look.hidden = !state.canLook;
      again.hidden = !state.systems.some(({ failure }) => failure);
      file.disabled = look.disabled = again.disabled = state.busy;
      const { progress } = state;
      if (!progress) return;
      message.className = progress.phase === 'failed' ? 'bad' : '';
      tell(progressText(progress), state.busy ? progress.percent : undefined);
    },
  };
}

/** @param {Blob} bundle @param {(percent: number) => void} onProgress @throws {RequestError} */
async function upload(bundle, onProgress) {
  const { size } = bundle;
  let id = '';
  let offset = 0;
  do {
    onProgress(Math.floor((100 * offset) / size));
    const body = bundle.slice(offset, offset + PART_BYTES);
    const headers = { 'Content-Type': 'application/octet-stream' };
    const path = `/api/system/update?offset=${offset}&size=${size}&upload=${id}`;
    ({ upload: id } = await requestJson(path, { method: 'PUT', body, headers }));
    offset += PART_BYTES;
  } while (offset < size);
}
