import { DifferenceReader } from '../../game/frame-difference.js';
import { byId, byIdAs } from '../lib/dom.js';
import { PHASE } from '../../game/frame.js';
import { loadPictures } from '../lib/game-files.js';
import { FrameBuffer } from '../lib/interpolation.js';
import { PauseNote } from '../lib/notes.js';
import { Renderer } from '../lib/renderer.js';
import { newsText } from '../lib/reports.js';
import { Roster, listTeams } from '../lib/teams.js';
import { Governor } from './governor.js';
import { InstantReplay } from './instant-replay.js';
import { Scoreboard, listStandings, worldArea } from './scoreboard.js';
import { Overlay } from './overlay.js';

/** The view of a running match: the canvas, the scoreboard and the overlay. */

/** Maximum number of pixels of the canvas, because filling more takes a TV too long. */
const MAX_PIXELS = 2560 * 1440;
const HUD_INTERVAL_MS = 100;

/**
 * @typedef {import('../lib/types.js').Slot} Slot
 * @typedef {{match: import('../lib/types.js').MatchId, game: import('../lib/types.js').Game, slots: Slot[],
 *   mayStop: boolean, paused?: import('../lib/notes.js').Paused}} Watched mayStop: the TV lets this screen end the
 *   match
 */

export class Stage {
  /** @type {Watched | null} */
  watched = null;
  root = byId('stage');
  #canvas = byIdAs('game', HTMLCanvasElement);
  #reader = new DifferenceReader();
  #buffer = new FrameBuffer();
  #governor = new Governor();
  #strip = new Scoreboard();
  #overlay;
  pause = new PauseNote();
  /** Shows the end of a round again. */
  replay = new InstantReplay();
  /** @type {Renderer | null} */
  #renderer = null;
  #roster = new Roster();
  #drawnAt = 0;
  #hudAt = 0;
  #running = false;
  #calm = matchMedia('(prefers-reduced-motion: reduce)');

  /** @param {import('../lib/sound.js').Sound} sound */
  constructor(sound) {
    this.sound = sound;
    this.#overlay = new Overlay(sound);
    new ResizeObserver(() => this.#resize()).observe(this.root);
    // The names on the canvas are painted once. Hangul may have been loaded since.
    document.fonts?.addEventListener('loadingdone', () => {
      if (this.watched) this.setSlots([...this.watched.slots]);
    });
  }

  /** Pictures per second, 0 if unknown. */
  get fps() {
    return this.#governor.fps;
  }

  /** Shows a match. @param {Watched} watched */
  show(watched) {
    const same = this.watched?.match === watched.match && this.watched.game === watched.game;
    this.watched = watched;
    if (!same) {
      this.setNews([]);
      this.#buffer.clear();
      this.#overlay.clear();
      this.replay.clear();
      this.#governor = new Governor();
      this.#roster = new Roster();
      this.#renderer = new Renderer(this.#canvas, watched.game.view, {
        calm: this.#calm.matches,
        onEvent: (event) => this.replay.track || this.sound.play(event.sound),
      });
      const renderer = this.#renderer;
      this.sound.samples.load(watched.game);
      void loadPictures(watched.game).then((pictures) => renderer.setPictures(pictures));
    }
    this.root.hidden = false;
    this.pause.set(watched.paused);
    document.body.classList.add('playing');
    this.#resize();
    if (this.#running) return;
    this.#running = true;
    requestAnimationFrame((now) => this.#drawPicture(now));
  }

  /** Hides the view and stops drawing. */
  hide() {
    this.watched = null;
    this.pause.set();
    this.#running = false;
    this.#renderer = null;
    this.#buffer.clear();
    this.#overlay.clear();
    this.replay.clear();
    this.root.hidden = true;
    document.body.classList.remove('playing');
  }

  /** Sets the players of the match. @param {Slot[]} slots */
  setSlots(slots) {
    if (this.watched) this.watched.slots = slots;
  }

  /**
   * Adds a frame. Every frame has to be passed, because the next one may be a difference from it.
   * @param {ArrayBuffer} bytes a frame or a difference
   * @returns {boolean} false if whole frames have to be requested: the difference is not from the last two
   */
  push(bytes) {
    const whole = this.#reader.read(bytes);
    if (!whole) return false;
    if (!this.watched) return true;
    const before = this.#buffer.newest?.tick ?? -1;
    const frame = this.#buffer.push(whole, performance.now());
    if (frame && frame.tick <= before) this.#renderer?.events.reset();
    if (frame) this.replay.push(frame);
    return true;
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!this.#renderer || width === 0) return;
    this.#renderer.setDetail(this.#governor.detail);
    const wanted = devicePixelRatio * this.#governor.quality;
    const ratio = Math.min(wanted, Math.sqrt(MAX_PIXELS / (width * height)));
    const [wide, high] = [width * ratio, height * ratio];
    this.#renderer.resize(wide, high, worldArea(wide, high));
  }

  /** @param {number} now */
  #drawPicture(now) {
    if (!this.#running) return;
    requestAnimationFrame((next) => this.#drawPicture(next));
    const elapsedMs = Math.min(100, now - this.#drawnAt);
    if (this.#governor.measure(now - this.#drawnAt)) this.#resize();
    this.#drawnAt = now;
    const frame = this.#buffer.sample(performance.now());
    if (!frame || !this.#renderer || !this.watched) return;
    const { slots, game } = this.watched;
    const { teams = [] } = game;
    this.#roster.update(this.#renderer, frame, slots, teams);
    this.#drawWorld(this.#renderer, frame, elapsedMs);
    if (now - this.#hudAt < HUD_INTERVAL_MS) return;
    this.#hudAt = now;
    const players = listStandings(frame, slots, this.#roster.colors, teams);
    const teamScores = listTeams(frame, teams);
    this.#strip.update(frame, players, game.view, teamScores);
    this.#overlay.update(frame, players, game, teamScores);
  }

  /**
   * Draws the match, or the end of the round again.
   * @param {Renderer} renderer @param {import('../lib/frame-view.js').FrameView} live @param {number} elapsedMs
   */
  #drawWorld(renderer, live, elapsedMs) {
    const { replay } = this;
    if (replay.update(live, elapsedMs)) {
      renderer.reset();
      byId('replay-mark').hidden = !replay.track;
      this.root.classList.toggle('replaying', replay.track !== null);
    }
    const { track } = replay;
    const frame = track?.sample(replay.tick) ?? live;
    renderer.draw(frame, (track ?? this.#buffer).bodies, elapsedMs);
  }

  /** Sets what the podium says about records. @param {import('../lib/types.js').News[]} news */
  setNews(news) {
    const records = this.watched?.game.records;
    this.#overlay.news = news.map((one) => newsText(one, records, true));
  }

  /** Whether the match is over and the podium is shown. */
  get isOver() {
    return this.#buffer.newest?.phase === PHASE.matchOver;
  }
}
