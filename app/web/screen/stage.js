import { DifferenceReader } from '../../game/frame-difference.js';
import { SILENT_MS } from '../lib/connection.js';
import { byId, setText, toast } from '../lib/dom.js';
import { PHASE } from '../../game/frame.js';
import { loadPictures } from '../lib/game-files.js';
import { gameOfMatch } from '../lib/games.js';
import { FrameBuffer } from '../lib/frame-view.js';
import { text as textOf } from '../lib/language.js';
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
/** Minimum time between two requests for whole frames. */
const REQUEST_MS = 1000;

/**
 * @typedef {import('../lib/types.js').Slot} Slot
 * @typedef {{match: import('../lib/types.js').MatchId, game: import('../lib/types.js').Game, slots: Slot[],
 *   mayStop: boolean, news?: import('../lib/types.js').News[], paused?: import('../lib/notes.js').Paused}} Watched
 *   mayStop: the TV lets this screen end the match; news: see setNews()
 */

export class Stage {
  /** @type {Watched | null} */
  watched = null;
  #canvas;
  #strip;
  #overlay;
  #reader = new DifferenceReader();
  #buffer = new FrameBuffer();
  #governor = new Governor();
  /** Whether its sounds are heard: those of one of two matches. */
  isHeard = true;
  /** Shows the end of a round again. */
  replay = new InstantReplay();
  /** @type {Renderer | null} */
  #renderer = null;
  #roster = new Roster();
  #requestedAt = -Infinity;
  /** The last frame that came while the game was loaded: the only one of a paused match. @type {ArrayBuffer | null} */
  early = null;
  /** When the last new frame came, ms. */
  #frameAt = 0;
  #drawnAt = 0;
  #hudAt = 0;
  /** The next picture; 0: none is drawn. */
  #picture = 0;
  #calm = matchMedia('(prefers-reduced-motion: reduce)');

  /**
   * @param {import('../lib/sound.js').Sound} sound
   * @param {(id: string) => HTMLElement} [part] finds an element of the view
   */
  constructor(sound, part = byId) {
    this.sound = sound;
    this.part = part;
    this.root = part('stage');
    this.#canvas = /** @type {HTMLCanvasElement} */ (part('game'));
    this.#strip = new Scoreboard(part);
    this.#overlay = new Overlay(this.#output, part('overlay'));
    this.pause = new PauseNote(part);
    new ResizeObserver(() => this.#resize()).observe(this.root);
    // The names on the canvas are painted once. Hangul may have been loaded since.
    document.fonts?.addEventListener('loadingdone', () => {
      if (this.watched) this.watched.slots = [...this.watched.slots];
    });
  }

  /** What is played while it is heard. */
  #output = {
    play: (/** @type {string | undefined} */ name) => this.isHeard && this.sound.play(name),
    setMusic: (/** @type {null} */ title) => this.isHeard && this.sound.setMusic(title),
  };

  /** Has its sounds heard, or not. @param {boolean} on */
  hear(on) {
    if (on && !this.isHeard && this.watched) this.sound.samples.load(this.watched.game);
    this.isHeard = on;
    this.root.setAttribute('data-heard', String(on));
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
      this.#frameAt = performance.now();
      this.#buffer.clear();
      if (this.early) this.#buffer.push(this.early, this.#frameAt);
      this.#overlay.clear();
      this.replay.clear();
      this.#governor = new Governor();
      this.#roster = new Roster();
      this.#renderer = new Renderer(this.#canvas, watched.game.view, {
        calm: this.#calm.matches,
        onEvent: (event) => this.replay.track || this.#output.play(event.sound),
      });
      const renderer = this.#renderer;
      if (this.isHeard) this.sound.samples.load(watched.game);
      void loadPictures(watched.game).then((pictures) => renderer.setPictures(pictures));
    }
    this.root.hidden = false;
    this.root.setAttribute('aria-label', watched.game.title);
    setText(this.part('stage-title'), watched.game.title);
    this.pause.set(watched.paused);
    this.setNews(watched.news ?? []);
    this.#resize();
    if (this.#picture === 0) this.#requestPicture();
  }

  /** Hides the view and stops drawing. */
  hide() {
    this.watched = null;
    this.pause.set();
    cancelAnimationFrame(this.#picture);
    this.#picture = 0;
    this.#renderer = null;
    this.#buffer.clear();
    this.#overlay.clear();
    this.replay.clear();
    this.#markReplay();
    this.root.hidden = true;
  }

  /**
   * Adds a frame. Every frame has to be passed, because the next one may be a difference from it.
   * @param {ArrayBuffer} bytes a frame or a difference
   * @returns {boolean} false if whole frames have to be requested now: the difference is not from the last two
   */
  push(bytes) {
    const whole = this.#reader.read(bytes);
    const now = performance.now();
    if (!this.watched) this.early = whole;
    if (!this.watched) return true;
    if (!whole) {
      const isDue = now - this.#requestedAt >= REQUEST_MS;
      if (isDue) this.#requestedAt = now;
      return !isDue;
    }
    const before = this.#buffer.newest?.tick ?? -1;
    const frame = this.#buffer.push(whole, now);
    if (frame.tick !== before) this.#frameAt = now;
    this.replay.push(frame);
    return true;
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!this.#renderer || width === 0) return;
    this.#renderer.setDetail(this.#governor.detail);
    const wanted = devicePixelRatio * this.#governor.quality;
    const ratio = Math.min(wanted, Math.sqrt(MAX_PIXELS / (width * height)));
    const [wide, high] = [width * ratio, height * ratio];
    const strip = this.part('hud').offsetHeight * ratio;
    this.#renderer.resize(wide, high, worldArea(wide, high, strip));
  }

  #requestPicture() {
    this.#picture = requestAnimationFrame((now) => this.#drawPicture(now));
  }

  /** @param {number} now */
  #drawPicture(now) {
    this.#requestPicture();
    const elapsedMs = Math.min(100, now - this.#drawnAt);
    if (this.#governor.measure(now - this.#drawnAt)) this.#resize();
    this.#drawnAt = now;
    const frame = this.#buffer.sample(performance.now());
    if (!frame || !this.#renderer || !this.watched) return;
    const { slots, game } = this.watched;
    const { teams = [] } = game;
    this.#roster.update(this.#renderer, frame, slots, teams);
    const { replay } = this;
    replay.update(frame, elapsedMs);
    if (this.#markReplay()) this.#renderer.reset();
    const { track } = replay;
    const shown = track?.sample(replay.tick) ?? frame;
    this.#renderer.draw(shown, (track ?? this.#buffer).bodies, elapsedMs);
    if (now - this.#hudAt < HUD_INTERVAL_MS) return;
    this.#hudAt = now;
    const players = listStandings(frame, slots, this.#roster.colors, teams);
    const teamScores = listTeams(frame, teams);
    this.#strip.update(frame, players, game.view, teamScores);
    this.#overlay.update(frame, players, game, teamScores);
  }

  /** Marks what is shown as a replay, or as the match. @returns {boolean} whether that has changed */
  #markReplay() {
    const mark = this.part('replay-mark');
    const isLive = this.replay.track === null;
    if (mark.hidden === isLive) return false;
    mark.hidden = isLive;
    this.root.classList.toggle('replaying', !isLive);
    return true;
  }

  /** Sets what the podium says about records. @param {import('../lib/types.js').News[]} news */
  setNews(news) {
    const records = this.watched?.game.records;
    this.#overlay.news = news.map((one) => newsText(one, records, true));
  }

  /** Says that the match stands still, unless something else says why. @param {boolean} isExplained */
  drawStill(isExplained) {
    const isDue = this.watched && !this.pause.isPaused && !this.isOver;
    const isStill = isDue && performance.now() - this.#frameAt > SILENT_MS;
    this.part('still').hidden = isExplained || !isStill;
  }

  /** Whether the match is over and the podium is shown. */
  get isOver() {
    return this.#buffer.newest?.phase === PHASE.matchOver;
  }
}

/**
 * Makes the handlers of the TV's messages about the match on a stage, by their type.
 * @param {Stage} stage
 * @param {object} events
 * @param {(game: import('../lib/types.js').Game) => unknown} events.onShown called when it is shown
 * @param {() => unknown} events.onChange called when it is paused or goes on, or its seats or mayStop have changed
 * @param {() => unknown} events.onGone called when there is none
 * @returns {Record<string, (message: any) => unknown>}
 */
export function matchHandlers(stage, { onShown, onChange, onGone }) {
  let watches = 0;
  const isShown = (/** @type {unknown} */ match) => match === stage.watched?.match;
  return {
    async watch(message) {
      const { match, game: id, version, slots = [], mayStop = false, news, paused } = message;
      const turn = ++watches;
      stage.early = null; // of another match
      if (match === null || match === undefined) return onGone();
      const game = await gameOfMatch(match, id, version).catch(() => null);
      if (turn !== watches) return undefined; // another match was chosen meanwhile
      if (!game) return toast(textOf('screen.newGame'), 'warn');
      stage.show({ match, game, slots, mayStop, news, paused });
      return onShown(game);
    },
    slots({ match, slots, mayStop }) {
      if (stage.watched && isShown(match)) Object.assign(stage.watched, { slots, mayStop });
      onChange();
    },
    pause({ match, paused }) {
      if (isShown(match)) stage.pause.set(paused);
      onChange();
    },
    news: ({ match, news }) => isShown(match) && stage.setNews(news),
  };
}
