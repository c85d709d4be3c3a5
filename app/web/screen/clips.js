import { byId, h, setText } from '../lib/dom.js';
import { findGame } from '../lib/games.js';
import { text as textOf } from '../lib/language.js';
import { errorText, problemText } from '../lib/reports.js';
import { toast } from '../lib/toast.js';
import { tvUrl } from '../lib/tv-url.js';

/** The screen's clips: shows the progress of a clip over the game, and a list of all clips. */

const HEIGHTS = Object.freeze([720, 1080]);
/** States of an unfinished clip. */
const UNFINISHED = new Set(['recording', 'waiting', 'making']);

/**
 * @typedef {object} ClipEntry a clip in the server's message
 * @property {string} id
 * @property {'recording' | 'waiting' | 'making' | 'ready' | 'failed'} state
 * @property {import('../lib/types.js').MatchId} match
 * @property {string} game @property {string} title
 * @property {number} createdAt @property {number} seconds
 * @property {number} width @property {number} height @property {number} bytes
 * @property {number} done 0..1
 * @property {{code: string, message: string} | null} error
 * @property {string | null} url @property {boolean} yours
 */

/** Describes the state of a clip. @param {ClipEntry} clip @returns {string} */
function stateText(clip) {
  switch (clip.state) {
    case 'recording':
      return textOf('clips.recording', { seconds: clip.seconds });
    case 'waiting':
      return textOf('clips.waiting');
    case 'making':
      return textOf('clips.making', { percent: Math.floor(clip.done * 100) });
    case 'failed':
      return clip.error ? errorText(clip.error) : textOf('clips.failed');
    default:
      return textOf('clips.ready', {
        seconds: clip.seconds,
        size: `${clip.width}×${clip.height}`,
        megabytes: (clip.bytes / 1e6).toFixed(1),
      });
  }
}

export class ClipsView {
  root = byId('clips');
  #send;
  /** @type {ClipEntry[]} */
  #list = [];
  #height = HEIGHTS[0];
  /** The clip that is played instead of the list. @type {ClipEntry | undefined} */
  #playing;
  /** @type {Map<string, {row: HTMLElement, text: HTMLElement, state: string}>} */
  #rows = new Map();
  #problem = '';
  /** @type {Element | null} */
  #focusedBefore = null;

  /** @param {(message: object) => void} send */
  constructor(send) {
    this.#send = send;
    byId('lobby-clips').onclick = () => this.open();
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** Shows the clips of the server's message. @param {{clips: ClipEntry[], problem: string | null}} message */
  update({ clips, problem }) {
    const before = new Map(this.#list.map((clip) => [clip.id, clip.state]));
    for (const clip of clips) {
      const was = before.get(clip.id);
      if (!clip.yours || was === undefined || was === clip.state) continue;
      if (clip.state === 'ready') toast(textOf('clips.done'));
      if (clip.state === 'failed') toast(stateText(clip), 'error');
    }
    this.#list = clips;
    this.#problem = problemText(problem ?? '');
    byId('lobby-clips').hidden = clips.length === 0;
    setText(byId('lobby-clips'), textOf('clips.button', { count: clips.length }));
    this.#drawMark();
    if (this.isOpen) this.#draw();
  }

  /** Shows the unfinished clip over the game and in the lobby. */
  #drawMark() {
    const mark = byId('clip-mark');
    const clip = this.#list.find(({ yours, state }) => yours && UNFINISHED.has(state));
    mark.hidden = !clip;
    if (!clip) return;
    mark.setAttribute('data-state', clip.state);
    const state = stateText(clip);
    setText(mark, clip.state === 'recording' ? state : textOf('clips.mark', { state }));
  }

  /**
   * Returns the clip entries of a match's menu.
   * @param {import('../lib/types.js').MatchId} match the watched match
   * @returns {import('./menu.js').Choice[]}
   */
  choices(match) {
    const recording = this.#list.find(
      (clip) => clip.yours && clip.state === 'recording' && clip.match === match,
    );
    const height = this.#height;
    return [
      {
        text: textOf('clips.saveLast', { seconds: 30 }),
        run: () => this.#send({ t: 'clip', match, from: 'last', height }),
      },
      recording
        ? {
            text: textOf('clips.stopRecording'),
            run: () => this.#send({ t: 'clipFinish', clip: recording.id }),
          }
        : {
            text: textOf('clips.record'),
            run: () => this.#send({ t: 'clip', match, from: 'now', seconds: 120, height }),
          },
      { text: textOf('clips.title'), run: () => this.open() },
    ];
  }

  /** Opens the list. */
  open() {
    if (!this.isOpen) this.#focusedBefore = document.activeElement;
    this.root.hidden = false;
    this.#rows.clear();
    this.#draw();
    this.#focusFirst();
  }

  /** Opens the list if there are clips. */
  openIfAny() {
    if (this.#list.length > 0) this.open();
  }

  get #video() {
    return this.isOpen ? this.root.querySelector('video') : null;
  }

  /** Pauses the played clip. @returns {boolean} whether a clip is shown */
  pause() {
    this.#video?.pause();
    return this.#video !== null;
  }

  /** Pauses the played clip or continues it. @returns {boolean} whether a clip is shown */
  togglePlay() {
    const video = this.#video;
    if (video?.paused) video.play().catch(() => {});
    else video?.pause();
    return video !== null;
  }

  /** Goes back from the clip to the list, or closes the list. */
  back() {
    if (this.#playing) return this.#stopPlaying();
    this.root.hidden = true;
    this.root.replaceChildren();
    if (this.#focusedBefore instanceof HTMLElement)
      this.#focusedBefore.focus({ preventScroll: true });
  }

  #focusFirst() {
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
    const focusedKey = document.activeElement?.getAttribute('data-key');
    this.#rows.clear();
    const rows = this.#list.map((clip) => this.#createRow(clip));
    this.root.replaceChildren(
      h(
        'div',
        { class: 'clips-box' },
        h('h2', { text: textOf('clips.title') }),
        this.#problem ? h('p', { class: 'why', text: this.#problem }) : null,
        rows.length === 0
          ? h('p', { text: textOf('clips.none') })
          : h('ul', { class: 'clips-list' }, ...rows),
        h(
          'div',
          { class: 'clips-foot' },
          this.#createButton(textOf('clips.back'), 'back', () => this.back()),
          this.#createButton(this.#sizeText, 'size', () => {
            this.#height = HEIGHTS[(HEIGHTS.indexOf(this.#height) + 1) % HEIGHTS.length];
            const button = this.root.querySelector('[data-key=size]');
            if (button) setText(button, this.#sizeText);
          }),
        ),
      ),
    );
    const again = focusedKey && this.root.querySelector(`[data-key="${CSS.escape(focusedKey)}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    else this.#focusFirst();
  }

  get #sizeText() {
    return textOf('clips.size', { size: `${(this.#height * 16) / 9}×${this.#height}` });
  }

  /** @param {ClipEntry} clip @returns {HTMLElement} */
  #createRow(clip) {
    const unfinished = UNFINISHED.has(clip.state);
    const text = h('span', { class: 'clip-state', text: stateText(clip) });
    const at = new Date(clip.createdAt).toLocaleTimeString([], { timeStyle: 'short' });
    const row = h(
      'li',
      { 'data-state': clip.state, 'data-clip': clip.id },
      h('b', { text: `${findGame(clip.game)?.title ?? clip.title}, ${at}` }),
      text,
      clip.state === 'ready' &&
        this.#createButton(textOf('clips.play'), `play-${clip.id}`, () => this.#play(clip)),
      clip.url &&
        h('a', {
          class: 'wide',
          text: textOf('clips.download'),
          href: tvUrl(`${clip.url}?download`),
          'data-nav': '',
          'data-key': `get-${clip.id}`,
        }),
      clip.state === 'recording' &&
        clip.yours &&
        this.#createButton(textOf('clips.stop'), `stop-${clip.id}`, () =>
          this.#send({ t: 'clipFinish', clip: clip.id }),
        ),
      clip.yours &&
        // Different keys: a focused “Cancel” must not become a focused “Delete” when the clip is ready.
        this.#createButton(
          textOf(unfinished ? 'clips.cancel' : 'clips.delete'),
          `${unfinished ? 'cancel' : 'delete'}-${clip.id}`,
          () => this.#send({ t: 'clipDelete', clip: clip.id }),
        ),
    );
    this.#rows.set(clip.id, { row, text, state: clip.state });
    return row;
  }

  /** @param {string} text @param {string} key @param {() => void} run */
  #createButton(text, key, run) {
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
    const src = tvUrl(clip.url ?? '');
    const video = h('video', {
      ...(src !== clip.url && { crossOrigin: 'anonymous' }),
      src,
      controls: true,
      autoplay: true,
      playsInline: true,
    });
    this.root.replaceChildren(
      h(
        'div',
        { class: 'clips-player' },
        video,
        this.#createButton(textOf('clips.back'), 'back', () => this.#stopPlaying()),
      ),
    );
    this.#focusFirst();
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
