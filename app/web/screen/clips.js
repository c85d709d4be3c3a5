import { byId, h, setText } from '../lib/dom.js';
import { toast } from '../lib/toast.js';

/** Clips on the screen: what is recorded and made is marked over the game, and all are in a list. */

const HEIGHTS = Object.freeze([720, 1080]);
/** States of a clip that is on its way. */
const UNDER_WAY = new Set(['recording', 'waiting', 'making']);

/**
 * @typedef {object} ClipEntry as the server tells it
 * @property {string} id
 * @property {'recording' | 'waiting' | 'making' | 'ready' | 'failed'} state
 * @property {import('../lib/types.js').MatchId} match
 * @property {string} title @property {number} createdAt @property {number} seconds
 * @property {number} width @property {number} height @property {number} bytes
 * @property {number} done 0..1
 * @property {{code: string, message: string} | null} error
 * @property {string | null} url @property {boolean} yours
 */

/** @param {ClipEntry} clip @returns {string} how far it is */
export function stateText(clip) {
  switch (clip.state) {
    case 'recording':
      return `● recording ${clip.seconds} s`;
    case 'waiting':
      return 'waits for its turn';
    case 'making':
      return `${Math.floor(clip.done * 100)} %`;
    case 'failed':
      return clip.error?.message ?? 'It failed.';
    default:
      return `${clip.seconds} s · ${clip.width}×${clip.height} · ${(clip.bytes / 1e6).toFixed(1)} MB`;
  }
}

export class Clips {
  root = byId('clips');
  #send;
  /** @type {ClipEntry[]} */
  #list = [];
  #height = HEIGHTS[0];
  /** What lies over the list: the clip that is played. @type {ClipEntry | undefined} */
  #playing;
  /** @type {Map<string, {row: HTMLElement, text: HTMLElement, state: string}>} */
  #rows = new Map();
  #problem = '';
  /** @type {Element | null} */
  #before = null;

  /** @param {(message: object) => void} send */
  constructor(send) {
    this.#send = send;
    byId('lobby-clips').onclick = () => this.open();
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** @param {{clips: ClipEntry[], problem: string | null}} message */
  update({ clips, problem }) {
    const before = new Map(this.#list.map((clip) => [clip.id, clip.state]));
    for (const clip of clips) {
      const was = before.get(clip.id);
      if (!clip.yours || was === undefined || was === clip.state) continue;
      if (clip.state === 'ready') toast('The clip is ready: see Clips in the menu.');
      if (clip.state === 'failed') toast(clip.error?.message ?? 'The clip failed.', 'error');
    }
    this.#list = clips;
    this.#problem = problem ?? '';
    byId('lobby-clips').hidden = clips.length === 0;
    setText(byId('lobby-clips'), `Clips (${clips.length})`);
    this.#mark();
    if (this.isOpen) this.#draw();
  }

  /** What is on its way, over the game and in the lobby. */
  #mark() {
    const mark = byId('clip-mark');
    const clip = this.#list.find(({ yours, state }) => yours && UNDER_WAY.has(state));
    mark.hidden = !clip;
    if (!clip) return;
    mark.setAttribute('data-state', clip.state);
    setText(mark, clip.state === 'recording' ? stateText(clip) : `Clip: ${stateText(clip)}`);
  }

  /**
   * @param {import('../lib/types.js').MatchId} match that is watched
   * @returns {import('./menu.js').Choice[]} for its menu
   */
  choices(match) {
    const recording = this.#list.find(
      (clip) => clip.yours && clip.state === 'recording' && clip.match === match,
    );
    const height = this.#height;
    return [
      {
        text: 'Save the last 30 s',
        run: () => this.#send({ t: 'clip', match, from: 'last', height }),
      },
      recording
        ? {
            text: 'Stop recording',
            run: () => this.#send({ t: 'clipFinish', clip: recording.id }),
          }
        : {
            text: 'Record from now',
            run: () => this.#send({ t: 'clip', match, from: 'now', seconds: 120, height }),
          },
      { text: 'Clips', run: () => this.open() },
    ];
  }

  open() {
    if (!this.isOpen) this.#before = document.activeElement;
    this.root.hidden = false;
    this.#rows.clear();
    this.#draw();
    this.#focus();
  }

  /** Back: from the clip to the list, from the list to where one was. */
  back() {
    if (this.#playing) return this.#stopPlaying();
    this.root.hidden = true;
    this.root.replaceChildren();
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true });
  }

  #focus() {
    const first = this.root.querySelector('[data-nav]');
    if (first instanceof HTMLElement) first.focus({ preventScroll: true });
  }

  /** Rebuilds the rows when the list or a state has changed; otherwise updates their texts. */
  #draw() {
    if (this.#playing) return;
    const same =
      this.#rows.size === this.#list.length &&
      this.#list.every(({ id, state }) => this.#rows.get(id)?.state === state);
    if (same && this.root.childElementCount > 0) {
      for (const clip of this.#list) {
        const row = this.#rows.get(clip.id);
        if (row) setText(row.text, stateText(clip));
      }
      return;
    }
    const had = document.activeElement?.getAttribute('data-key');
    this.#rows.clear();
    const rows = this.#list.map((clip) => this.#row(clip));
    this.root.replaceChildren(
      h(
        'div',
        { class: 'clips-box' },
        h('h2', { text: 'Clips' }),
        this.#problem ? h('p', { class: 'why', text: this.#problem }) : null,
        rows.length === 0
          ? h('p', { text: 'None yet. The menu of a running game makes them.' })
          : h('ul', { class: 'clips-list' }, ...rows),
        h(
          'div',
          { class: 'clips-foot' },
          this.#button('Back', 'back', () => this.back()),
          this.#button(`New clips: ${this.#sizeText}`, 'size', () => {
            this.#height = HEIGHTS[(HEIGHTS.indexOf(this.#height) + 1) % HEIGHTS.length];
            const button = this.root.querySelector('[data-key=size]');
            if (button) setText(button, `New clips: ${this.#sizeText}`);
          }),
        ),
      ),
    );
    const again = had && this.root.querySelector(`[data-key="${CSS.escape(had)}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    else this.#focus();
  }

  get #sizeText() {
    return `${(this.#height * 16) / 9}×${this.#height}`;
  }

  /** @param {ClipEntry} clip @returns {HTMLElement} */
  #row(clip) {
    const onItsWay = UNDER_WAY.has(clip.state);
    const text = h('span', { class: 'clip-state', text: stateText(clip) });
    const at = new Date(clip.createdAt).toLocaleTimeString([], { timeStyle: 'short' });
    const row = h(
      'li',
      { 'data-state': clip.state, 'data-clip': clip.id },
      h('b', { text: `${clip.title}, ${at}` }),
      text,
      clip.state === 'ready' && this.#button('Play', `play-${clip.id}`, () => this.#play(clip)),
      clip.url &&
        h('a', {
          class: 'wide',
          text: 'Download',
          href: `${clip.url}?download`,
          'data-nav': '',
          'data-key': `get-${clip.id}`,
        }),
      clip.state === 'recording' &&
        clip.yours &&
        this.#button('Stop', `stop-${clip.id}`, () =>
          this.#send({ t: 'clipFinish', clip: clip.id }),
        ),
      clip.yours &&
        // Two keys: who had “Cancel” in focus must not delete what has just become ready.
        this.#button(
          onItsWay ? 'Cancel' : 'Delete',
          `${onItsWay ? 'cancel' : 'delete'}-${clip.id}`,
          () => this.#send({ t: 'clipDelete', clip: clip.id }),
        ),
    );
    this.#rows.set(clip.id, { row, text, state: clip.state });
    return row;
  }

  /** @param {string} text @param {string} key @param {() => void} run */
  #button(text, key, run) {
    return h('button', {
      class: 'wide',
      type: 'button',
      text,
      'data-nav': '',
      'data-key': key,
      onclick: run,
    });
  }

  /** @param {ClipEntry} clip */
  #play(clip) {
    this.#playing = clip;
    const video = h('video', { src: clip.url, controls: true, autoplay: true, playsInline: true });
    this.root.replaceChildren(
      h(
        'div',
        { class: 'clips-player' },
        video,
        this.#button('Back', 'back', () => this.#stopPlaying()),
      ),
    );
    this.#focus();
  }

  #stopPlaying() {
    const button = `[data-key="play-${this.#playing?.id}"]`;
    this.#playing = undefined;
    this.#rows.clear();
    this.#draw();
    const again = this.root.querySelector(button);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }
}
