import { contextOf } from '../lib/canvas.js';
import {
  button as createButton,
  fill,
  focus,
  h,
  loadItem,
  saveFile,
  setText,
  sharesFiles,
} from '../lib/dom.js';
import { FrameTrack, FrameView } from '../lib/frame-view.js';
import { translateGame } from '../lib/games.js';
import { language, text as textOf } from '../lib/language.js';
import { loadPictures } from '../lib/game-files.js';
import { Renderer } from '../lib/renderer.js';
import { readReplay, replayName } from '../../game/replay-file.js';
import { RequestError, request, tvUrl } from '../lib/request.js';
import { Roster, listTeams } from '../lib/teams.js';
import { listStandings, worldArea } from '../screen/scoreboard.js';
import { createOverlay } from './score-overlay.js';
import { recordVideo, videoType } from './video-recorder.js';

/** Plays a replay over the page, and records a video of it. */

const WIDTH = 1280;
const HEIGHT = 720;
/** Height of the strip above the world, as in scoreboard.css. */
const STRIP = 0.044 * WIDTH;
const TICKS_PER_MS = 60 / 1000;
/** A longer gap between pictures does not skip a part of the replay. */
const MAX_STEP_MS = 100;
/** Tokens that allow a page to watch a match. */
const TOKENS = ['pitv.screen.token', 'pitv.pad.token'];

/**
 * Loads the replay of a match.
 * @param {import('../lib/types.js').MatchId} match
 * @returns {Promise<ArrayBuffer>}
 * @throws {RequestError}
 */
export async function loadReplay(match) {
  const path = tvUrl(`/api/matches/${encodeURIComponent(match)}/replay`);
  let error;
  for (const token of [...TOKENS.map((item) => loadItem(item)), '']) {
    if (token === null) continue;
    /** @type {Record<string, string>} */
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    try {
      return await (await request(path, { headers })).arrayBuffer();
    } catch (refused) {
      error = refused;
      if (!(refused instanceof RequestError) || refused.code !== 'PITV_NOT_YOURS') break;
    }
  }
  throw error;
}

/** Returns the sentence for a replay that cannot be played. @param {unknown} error @returns {string} */
export const replayProblem = (error) =>
  error instanceof RequestError ? error.message : textOf('replay.invalid');

export class ReplayPlayer {
  root;
  #bytes;
  #replay;
  #game;
  #track;
  #renderer;
  #drawOverlay;
  #canvas = h('canvas', { 'aria-label': textOf('replay.title'), role: 'img' });
  #play;
  #status = h('p', { role: 'status' });
  #actions = h('div.replay-actions.wrap');
  #tick;
  #playing = true;
  #drawnAt = performance.now();
  #roster = new Roster();
  /** Ends the recording. @type {ReturnType<typeof recordVideo> | undefined} */
  #stopRecording;
  #focusedBefore = document.activeElement;
  #onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Escape') this.close();
  };

  /**
   * Shows a replay.
   * @param {ArrayBuffer} bytes a file
   * @param {{onClose?: () => void}} [options]
   * @throws {import('../../game/replay-file.js').ReplayError}
   */
  constructor(bytes, { onClose } = {}) {
    this.#bytes = bytes;
    this.#replay = readReplay(bytes);
    this.onClose = onClose;
    const game = translateGame(/** @type {any} */ (this.#replay.game), language);
    this.#game = game;
    this.#track = new FrameTrack(this.#replay.frames.map((each) => new FrameView(each.bytes)));
    this.#tick = this.#track.firstTick;
    this.#renderer = new Renderer(this.#canvas, game.view);
    this.#renderer.resize(WIDTH, HEIGHT, worldArea(WIDTH, HEIGHT, STRIP));
    const context = contextOf(this.#canvas);
    this.#drawOverlay = createOverlay(context, game, WIDTH, HEIGHT);
    void loadPictures(game).then((pictures) => this.#renderer.setPictures(pictures));
    this.#play = button(textOf('pause.begin'), () => this.toggle());
    const close = button(textOf('close'), () => this.close());
    this.root = h(
      'section.fill.replay.column',
      { role: 'dialog', 'aria-label': textOf('replay.title') },
      this.#canvas,
      this.#status,
      h('div.replay-foot.wrap', this.#play, this.#actions, close),
    );
    this.#offer();
    document.addEventListener('keydown', this.#onKey);
    document.body.append(this.root);
    focus(this.#play);
    requestAnimationFrame((now) => this.#draw(now));
  }

  /** Offers a video, or the file where the browser cannot record one. */
  #offer() {
    const type = videoType();
    setText(this.#status, type ? '' : textOf('replay.noVideo'));
    const file = new File([this.#bytes], `${this.#name}.replay`, {
      type: 'application/octet-stream',
    });
    const video = type && button(textOf('replay.video'), () => this.#record(type));
    fill(this.#actions, video || button(textOf('replay.file'), () => void saveFile(file)));
  }

  get #name() {
    return replayName(this.#game.id, new Date(this.#replay.savedAt || Date.now()));
  }

  /** Plays the replay from its beginning and records it. @param {string} type of the video */
  #record(type) {
    try {
      this.#stopRecording = recordVideo(this.#canvas, type);
    } catch {
      return setText(this.#status, textOf('replay.failed'));
    }
    fill(this.#actions);
    setText(this.#status, textOf('replay.recording'));
    this.#play.hidden = true;
    this.#seekStart();
  }

  /** @param {ReturnType<typeof recordVideo>} stop */
  async #endRecording(stop) {
    this.#stopRecording = undefined;
    this.#play.hidden = false;
    const file = await stop(this.#name).catch(() => undefined);
    this.#offer();
    setText(this.#status, textOf(file ? 'replay.ready' : 'replay.failed'));
    if (!file) return;
    // Browsers open the dialog to share only after a touch, and the last one was before the recording.
    const label = textOf(sharesFiles(file) ? 'replay.share' : 'replay.download');
    const save = button(label, () => void saveFile(file));
    this.#actions.prepend(save);
    focus(save);
  }

  #seekStart() {
    this.#tick = this.#track.firstTick;
    this.#renderer.reset();
    this.#setPlaying(true);
  }

  /** Pauses the replay, or continues it; at its end, plays it again. */
  toggle() {
    if (this.#stopRecording) return;
    if (this.#tick >= this.#track.lastTick) this.#seekStart();
    else this.#setPlaying(!this.#playing);
  }

  /** @param {boolean} on */
  #setPlaying(on) {
    this.#playing = on;
    setText(this.#play, textOf(on ? 'pause.begin' : 'replay.play'));
  }

  /** @param {number} now ms */
  #draw(now) {
    if (!this.root.isConnected) return;
    requestAnimationFrame((next) => this.#draw(next));
    const elapsedMs = Math.max(0, Math.min(MAX_STEP_MS, now - this.#drawnAt));
    this.#drawnAt = now;
    if (this.#playing) this.#tick += elapsedMs * TICKS_PER_MS;
    const isOver = this.#playing && this.#tick >= this.#track.lastTick;
    const frame = this.#track.sample(this.#tick);
    const { slots } = this.#replay.frames[this.#track.index];
    const { teams = [] } = this.#game;
    this.#roster.update(this.#renderer, frame, slots, teams);
    this.#renderer.draw(frame, this.#track.bodies, this.#playing ? elapsedMs : 0);
    const players = listStandings(frame, slots, this.#roster.colors, teams);
    this.#drawOverlay(frame, players, listTeams(frame, teams));
    if (!isOver) return;
    this.#setPlaying(false);
    if (this.#stopRecording) void this.#endRecording(this.#stopRecording);
  }

  /** Removes the player from the page. */
  close() {
    document.removeEventListener('keydown', this.#onKey);
    this.root.remove();
    void this.#stopRecording?.('').catch(() => {});
    focus(this.#focusedBefore);
    this.onClose?.();
  }
}

/** @param {string} text @param {() => void} onclick */
const button = (text, onclick) => createButton(text, onclick, 'wide', { 'data-nav': '' });
