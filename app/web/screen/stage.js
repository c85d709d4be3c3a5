import { slotColors } from '../lib/color.js';
import { byId, byIdAs, setText } from '../lib/dom.js';
import { PHASE } from '../lib/frame.js';
import { FrameBuffer } from '../lib/interpolation.js';
import { Renderer } from '../lib/renderer.js';
import { Governor } from './governor.js';
import { Scoreboard, standings } from './scoreboard.js';
import { Overlay } from './overlay.js';

/** A running match on the whole screen: the canvas, and what lies over it. */

/** No canvas has more pixels than this: beyond, a TV's chip is busy with filling, not with playing. */
const MAX_PIXELS = 2560 * 1440;
/** The strip above the world, as stage.css has it: share of the width of a 16:9 picture. */
const STRIP_SHARE = 0.044;
const HUD_EVERY_MS = 100;

/**
 * @typedef {import('../lib/types.js').Game} Game
 * @typedef {import('../lib/types.js').Slot} Slot
 * @typedef {{match: import('../lib/types.js').MatchId, game: Game, slots: Slot[]}} Watched
 */

export class Stage {
  /** @type {Watched | null} */
  watched = null;
  root = byId('stage');
  #canvas = byIdAs('game', HTMLCanvasElement);
  #buffer = new FrameBuffer();
  #governor = new Governor();
  #strip = new Scoreboard();
  #overlay;
  /** @type {Renderer | null} */
  #renderer = null;
  /** @type {readonly string[]} */
  #colors = slotColors([]);
  #drawnAt = 0;
  #hudAt = 0;
  #running = false;
  #calm = matchMedia('(prefers-reduced-motion: reduce)');

  /** @param {import('../lib/sound.js').Sound} sound */
  constructor(sound) {
    this.sound = sound;
    this.#overlay = new Overlay(sound);
    new ResizeObserver(() => this.#resize()).observe(this.root);
  }

  /** Pictures a second; 0 while not known. */
  get fps() {
    return this.#governor.fps;
  }
  /** The phase of the newest frame, -1 before the first. */
  get phase() {
    return this.#buffer.newest?.phase ?? -1;
  }

  /** @param {Watched} watched */
  show(watched) {
    const same = this.watched?.match === watched.match && this.watched.game === watched.game;
    this.watched = watched;
    if (!same) {
      this.#buffer.clear();
      this.#overlay.clear();
      this.#renderer = new Renderer(this.#canvas, watched.game.view, {
        calm: this.#calm.matches,
        onEvent: (event) => this.sound.play(event.sound),
      });
    }
    this.root.hidden = false;
    this.setSlots(watched.slots);
    this.#resize();
    if (this.#running) return;
    this.#running = true;
    requestAnimationFrame((now) => this.#picture(now));
  }

  hide() {
    this.watched = null;
    this.#running = false;
    this.#renderer = null;
    this.#buffer.clear();
    this.#overlay.clear();
    this.root.hidden = true;
  }

  /** @param {Slot[]} slots */
  setSlots(slots) {
    if (!this.watched) return;
    this.watched.slots = slots;
    this.#colors = slotColors(slots);
    const names = slots.map(({ player }) => player?.name ?? null);
    this.#renderer?.setPlayers(this.#colors, names);
  }

  /** @param {ArrayBuffer} bytes */
  push(bytes) {
    if (!this.watched) return;
    const before = this.#buffer.newest?.tick ?? -1;
    const frame = this.#buffer.push(bytes, performance.now());
    if (frame && frame.tick <= before) this.#renderer?.events.reset();
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!this.#renderer || width === 0) return;
    const wanted = devicePixelRatio * this.#governor.quality;
    const ratio = Math.min(wanted, Math.sqrt(MAX_PIXELS / (width * height)));
    const strip = Math.min(width, (height * 16) / 9) * STRIP_SHARE;
    const margin = height * 0.008;
    this.#renderer.resize(width * ratio, height * ratio, {
      x: margin * ratio,
      y: strip * ratio,
      width: (width - 2 * margin) * ratio,
      height: (height - strip - margin) * ratio,
    });
  }

  /** @param {number} now */
  #picture(now) {
    if (!this.#running) return;
    requestAnimationFrame((next) => this.#picture(next));
    const elapsedMs = Math.min(100, now - this.#drawnAt);
    if (this.#governor.measure(now - this.#drawnAt)) this.#resize();
    this.#drawnAt = now;
    const frame = this.#buffer.sample(performance.now());
    if (!frame || !this.#renderer || !this.watched) return;
    this.#renderer.draw(frame, this.#buffer.scene, elapsedMs);
    if (now - this.#hudAt < HUD_EVERY_MS) return;
    this.#hudAt = now;
    const players = standings(frame, this.watched.slots, this.#colors);
    this.#strip.update(frame, players, this.watched.game.view);
    this.#overlay.update(frame, players, this.watched.game);
  }

  /** @param {string} code */
  setCode(code) {
    setText(byId('hud-code'), code);
  }

  /** Whether the podium is what is seen now. */
  get isOver() {
    return this.phase === PHASE.matchOver;
  }
}
