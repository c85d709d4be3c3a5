import { Ground, paintBackdrop } from './backdrop.js';
import { contextOf } from './canvas.js';
import { PLAYER_COLORS } from '../../match/player-colors.js';
import { Effects } from './effects.js';
import { BODY_STATE, NO_BODY, PLAYER_FLAG } from '../../game/frame.js';
import { readEvents } from '../../game/frame-reader.js';
import { NameTags, Trails } from './marks.js';
import { lookOf } from './looks.js';
import { Shapes, TINY, TinyBodies, countDrawn } from './shapes.js';
import {
  bucketRadius,
  FLASH_ALPHA,
  FLASH_REACH,
  MAX_SPRITE_RADIUS,
  radiusBucket,
  Sprites,
} from './sprites.js';

/**
 * Draws any game from its `view`: background, bodies, names and trails of players, effects. It needs no
 * rules of the game.
 *
 * @typedef {import('./frame-view.js').InterpolatedBodies} Bodies
 * @typedef {import('./frame-view.js').FrameView} FrameView
 * @typedef {import('./marks.js').Place} Place
 */

const BALL = lookOf('ball', 0);
const GHOST_ALPHA = 0.4;
const FALLING_ALPHA = 0.75;

export class Renderer {
  trails = new Trails();
  tags = new NameTags();
  /** Converts world units to px. */
  place = { x: 0, y: 0, scale: 1 };
  #context;
  /** See readEvents(). */
  #lastEvent = -1;
  #shapes;
  #tiny = new TinyBodies();
  #backdrop = document.createElement('canvas');
  #ground = new Ground();
  /** @type {((import('./sprites.js').Sprite & {turned?: boolean}) | null)[]} by the index of the body */
  #found = [];

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('./types.js').GameView} view
   * @param {object} [options]
   * @param {boolean} [options.calm] reduced motion
   * @param {readonly string[]} [options.colors] by slot
   * @param {(event: import('./types.js').GameView['events'][number]) => void} [options.onEvent]
   */
  constructor(canvas, view, { calm = false, colors = PLAYER_COLORS, onEvent } = {}) {
    const context = contextOf(canvas, { alpha: false });
    this.canvas = canvas;
    this.view = view;
    this.onEvent = onEvent;
    this.#context = context;
    this.effects = new Effects({ calm });
    this.sprites = new Sprites(view, colors);
    this.#shapes = new Shapes(context, view);
  }

  /**
   * Sets colours of bodies and names, by slot. `shapes` are colours of the players; bodies may have those of teams.
   * @param {readonly string[]} colors @param {(string | null)[]} names @param {readonly string[]} shapes
   */
  setPlayers(colors, names, shapes) {
    this.tags.set(names, colors, shapes);
    if (colors.join() === this.sprites.colors.join()) return;
    this.sprites.colors = colors;
    this.#clearPainted();
  }

  /**
   * Sets how much is drawn.
   * @param {'full' | 'low'} detail low: without glow and trails, with fewer particles, at whole pixels; for a slow TV
   */
  setDetail(detail) {
    const isLow = detail === 'low';
    if (this.sprites.isLow === isLow) return;
    this.sprites.isLow = this.effects.isLow = this.#shapes.isLow = isLow;
    this.#clearPainted();
  }

  /** Sets the pictures that are drawn instead of looks. @param {import('./game-files.js').Pictures} pictures */
  setPictures(pictures) {
    this.sprites.pictures = pictures;
    this.#clearPainted();
  }

  /** Discards what was painted in advance. */
  #clearPainted() {
    this.sprites.atlas.clear();
    this.#ground.clear();
  }

  /**
   * Sets the size of the canvas.
   * @param {number} width px @param {number} height px
   * @param {{x: number, y: number, width: number, height: number}} area area of the world, px; the world
   *   is scaled to fit and centred
   */
  resize(width, height, area) {
    const { view, canvas } = this;
    canvas.width = this.#backdrop.width = Math.max(1, Math.round(width));
    canvas.height = this.#backdrop.height = Math.max(1, Math.round(height));
    const scale = Math.min(area.width / view.width, area.height / view.height);
    this.place = {
      scale,
      x: area.x + (area.width - view.width * scale) / 2,
      y: area.y + (area.height - view.height * scale) / 2,
    };
    this.#shapes.scale = scale;
    this.#clearPainted();
    this.tags.resize(scale);
    paintBackdrop(this.#backdrop, view, this.place);
  }

  /** Removes the effects, trails and events of the last match. */
  reset() {
    this.#lastEvent = -1;
    this.effects.clear();
    this.trails.clear();
  }

  /**
   * Draws a picture.
   * @param {FrameView} frame @param {Bodies} bodies
   * @param {number} elapsedMs since the last picture
   */
  draw(frame, bodies, elapsedMs) {
    this.#startEvents(frame);
    this.effects.step(elapsedMs);
    const context = this.#context;
    const place = this.effects.shaken(this.place);
    const players = this.#listPlayers(frame, bodies);
    const { count } = bodies;
    bodies.count = countDrawn(bodies, this.view, this.canvas, place.scale);
    const indexes = players.map(({ index }) => index);
    const played = new Set(indexes.filter((index) => index >= 0 && index < bodies.count));
    context.setTransform(1, 0, 0, 1, 0, 0);
    this.#drawUnplayed(frame, bodies, place, played);
    if (!this.sprites.isLow) {
      this.trails.draw(context, this.sprites, bodies, players, place, elapsedMs);
    }
    for (const index of played) this.#drawBody(bodies, index, place, true);
    this.effects.draw(context, this.sprites, place);
    this.tags.draw(context, bodies, players, place);
    bodies.count = count;
  }

  /** @param {FrameView} frame */
  #startEvents(frame) {
    this.#lastEvent = readEvents(frame.frame, this.#lastEvent, ({ type: number, owner, x, y }) => {
      const type = this.view.events[number];
      if (!type) return;
      if (type.effect) this.effects.start(type.effect, x, y, this.sprites.slotColor(owner));
      this.onEvent?.(type);
    });
  }

  /**
   * @param {FrameView} frame @param {Bodies} bodies
   * @returns {import('./marks.js').Played[]} index of the body, -1 if there is none
   */
  #listPlayers(frame, bodies) {
    const players = [];
    for (const [slot, { flags, body }] of frame.players.entries()) {
      if (!(flags & (PLAYER_FLAG.present | PLAYER_FLAG.bot))) continue;
      const index = body === NO_BODY ? -1 : bodies.index[body];
      players.push({ slot, index });
    }
    return players;
  }

  /**
   * Finds the sprites of bodies before they are drawn. Painting a sprite between copies from its page of the
   * atlas would make the browser copy the whole page each time.
   * @param {Bodies} bodies @param {number} first @param {Set<number>} played indexes of players' bodies
   */
  #findSprites(bodies, first, played) {
    const { atlas } = this.sprites;
    const { scale } = this.place;
    for (let attempt = 0; attempt < 2; attempt++) {
      const { generation } = atlas;
      this.#tiny.clear();
      for (const i of played) this.#found[i] = this.#spriteOf(bodies, i, scale, true);
      for (let i = first; i < bodies.count; i++) {
        if (!played.has(i)) this.#found[i] = this.#spriteOf(bodies, i, scale, false);
      }
      if (atlas.generation === generation) return; // otherwise the atlas was full and has been cleared: repeat
    }
  }

  /** @param {number} kind @param {number} b of the body @returns {import('./looks.js').Look} */
  #lookOf(kind, b) {
    return lookOf(this.view.kinds[kind]?.look ?? '', b);
  }

  /** @param {Bodies} bodies @param {number} i @param {number} scale @param {boolean} played see #drawBody() */
  #spriteOf(bodies, i, scale, played) {
    const kind = bodies.kind[i];
    const r = bodies.a[i] * scale;
    const { shape } = this.#lookOf(kind, bodies.b[i]);
    const ry = shape === 'box' ? bodies.b[i] * scale : r;
    if (shape === 'line' || shape === 'halo' || !(r > 0)) return null;
    if (Math.max(r, ry) > MAX_SPRITE_RADIUS) return null;
    if (!played && shape === 'circle' && this.#tiny.add(bodies, i, r, this.sprites)) return TINY;
    const owner = bodies.owner[i];
    if (shape === 'box') return this.sprites.box(kind, owner, r, ry);
    const isHit = (bodies.state[i] & BODY_STATE.hit) !== 0;
    return this.sprites.round(kind, owner, bodies.id[i], r, bodies.angle[i], isHit);
  }

  /**
   * Draws the background, and the bodies below those of players.
   * @param {FrameView} frame @param {Bodies} bodies @param {Place} place
   * @param {Set<number>} played indexes of players' bodies
   */
  #drawUnplayed(frame, bodies, place, played) {
    const context = this.#context;
    const ground = this.#ground;
    const left = Math.round(place.x - this.place.x);
    const top = Math.round(place.y - this.place.y);
    const due = ground.compare(frame.words, bodies.count, played, place !== this.place);
    let next = due > 0 ? 0 : ground.count;
    if (next === 0 || left !== 0 || top !== 0) context.drawImage(this.#backdrop, 0, 0);
    if (next > 0) context.drawImage(ground.canvas, left, top);
    this.#findSprites(bodies, next, played);
    const drawNext = () => played.has(next) || this.#drawBody(bodies, next, place, false);
    for (; next < due && this.#found[next] !== TINY; next++) drawNext();
    if (due > 0) ground.take(this.canvas, next);
    for (let hasTiny = false; next < bodies.count; next++) {
      const isTiny = this.#found[next] === TINY;
      if (!isTiny) drawNext();
      else if (!hasTiny) this.#tiny.draw(context, this.sprites, bodies, place); // all of them
      hasTiny ||= isTiny;
    }
  }

  /**
   * @param {Bodies} bodies @param {number} i @param {Place} place
   * @param {boolean} played whether it is a player's body
   */
  #drawBody(bodies, i, place, played) {
    const kind = bodies.kind[i];
    const look = this.#lookOf(kind, bodies.b[i]);
    const x = place.x + bodies.x[i] * place.scale;
    const y = place.y + bodies.y[i] * place.scale;
    const r = bodies.a[i] * place.scale;
    const ry = look.shape === 'box' ? bodies.b[i] * place.scale : r;
    if (look.shape === 'line') {
      const color = this.sprites.colorOf(kind, bodies.owner[i]);
      return this.#shapes.line(kind, color, x, y, r, bodies.b[i] * place.scale);
    }
    const state = bodies.state[i];
    if (state & BODY_STATE.ghost) this.#context.globalAlpha = GHOST_ALPHA;
    else if (state & BODY_STATE.falling) this.#context.globalAlpha = FALLING_ALPHA;
    const sprite = this.#found[i];
    const angle = bodies.angle[i];
    if (sprite) {
      const stretch = r / bucketRadius(radiusBucket(r));
      const turn = look.turns && !sprite.turned ? angle : 0;
      this.sprites.draw(this.#context, sprite, x, y, stretch, turn);
      if (played && look === BALL && !this.sprites.pictureOf(kind))
        this.sprites.drawEyes(this.#context, x, y, r, stretch, angle);
    } else if (r > 0) {
      const picture = this.sprites.pictureOf(kind);
      const color = this.sprites.colorOf(kind, bodies.owner[i]);
      if (picture) this.#drawLarge(picture, x, y, r, ry, look.turns ? angle : 0);
      else this.#shapes.big(look, kind, color, x, y, r, ry);
    }
    // A property of the context costs as much as a sprite, so it is not set without need.
    const rest = sprite && look.shape === 'circle' ? state & ~BODY_STATE.hit : state;
    if (rest === 0) return;
    this.#drawState(rest, x, y, r);
    this.#context.globalAlpha = 1;
  }

  /**
   * Draws a picture that is too large for the atlas.
   * @param {HTMLImageElement} picture @param {number} x @param {number} y
   * @param {number} rx half width, px @param {number} ry half height, px @param {number} angle radians
   */
  #drawLarge(picture, x, y, rx, ry, angle) {
    const context = this.#context;
    context.setTransform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), x, y);
    context.drawImage(picture, -rx, -ry, 2 * rx, 2 * ry);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** Draws the state of a body. @param {number} state @param {number} x @param {number} y @param {number} r px */
  #drawState(state, x, y, r) {
    const context = this.#context;
    if (state & BODY_STATE.hit) {
      const light = this.sprites.light('#ffffff');
      context.globalCompositeOperation = 'lighter';
      context.globalAlpha = FLASH_ALPHA;
      this.sprites.draw(context, light, x, y, (2 * FLASH_REACH * r) / light.width, 0);
      context.globalCompositeOperation = 'source-over';
    }
    if (state & BODY_STATE.shield) {
      context.globalAlpha = 1;
      this.#shapes.shield(x, y, r);
    }
  }
}
