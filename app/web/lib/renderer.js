import { paintBackdrop } from './backdrop.js';
import { PLAYER_COLORS, lighten, withAlpha } from './color.js';
import { Effects } from './effects.js';
import { EventTracker } from './event-tracker.js';
import { BODY_STATE, NO_BODY, PLAYER_FLAG } from './frame.js';
import { NameTags, Trails } from './marks.js';
import { lookOf, paintEyes } from './looks.js';
import { bucketRadius, MAX_SPRITE_RADIUS, radiusBucket, Sprites } from './sprites.js';

/**
 * Draws any game from its `view`: background, bodies, players' marks, effects. Knows kinds and
 * looks, never rules.
 */

const EYES_KEYS = 1 << 29;
const GHOST_ALPHA = 0.4;
const FALLING_ALPHA = 0.75;

export class Renderer {
  trails = new Trails();
  tags = new NameTags();
  events = new EventTracker();
  /** world to px */
  place = { x: 0, y: 0, scale: 1 };
  #context;
  #backdrop = document.createElement('canvas');

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('./types.js').GameView} view
   * @param {object} [options]
   * @param {boolean} [options.calm] less motion
   * @param {readonly string[]} [options.colors] of the slots
   * @param {(event: import('./types.js').EventView, owner: number) => void} [options.onEvent]
   */
  constructor(canvas, view, { calm = false, colors = PLAYER_COLORS, onEvent } = {}) {
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('this browser has no 2D canvas');
    this.canvas = canvas;
    this.view = view;
    this.onEvent = onEvent;
    this.#context = context;
    this.effects = new Effects({ calm });
    this.sprites = new Sprites(view, colors);
  }

  /** @param {readonly string[]} colors of the slots @param {(string | null)[]} names by slot */
  setPlayers(colors, names) {
    this.sprites = new Sprites(this.view, colors);
    this.tags.set(names, colors);
  }

  /**
   * @param {number} width px of the canvas @param {number} height px
   * @param {{x: number, y: number, width: number, height: number}} area px, where the world goes;
   *   it is fitted in and centred
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
    this.sprites.atlas.clear();
    this.tags.resize(scale);
    paintBackdrop(this.#backdrop, view, this.place);
  }

  /** Another match: what is on its way belongs to the old one. */
  reset() {
    this.events.reset();
    this.effects.clear();
    this.trails.clear();
  }

  /**
   * @param {import('./frame-view.js').FrameView} frame
   * @param {import('./frame-view.js').Scene} scene its bodies
   * @param {number} elapsedMs since the last picture
   */
  draw(frame, scene, elapsedMs) {
    this.#takeEvents(frame);
    this.effects.step(elapsedMs);
    const context = this.#context;
    const { scale } = this.place;
    const place = {
      scale,
      x: this.place.x + this.effects.shakeX * scale,
      y: this.place.y + this.effects.shakeY * scale,
    };
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#backdrop, 0, 0);
    const players = this.#players(frame, scene);
    this.#bodies(scene, place, players);
    this.trails.draw(context, this.sprites, scene, players, place, elapsedMs);
    for (const { index } of players) if (index >= 0) this.#body(scene, index, place, true);
    this.effects.draw(context, this.sprites, place);
    this.tags.draw(context, scene, players, place);
  }

  /** @param {import('./frame-view.js').FrameView} frame */
  #takeEvents(frame) {
    const events = [];
    for (let i = 0; i < frame.eventCount; i++) events.push(frame.event(i));
    for (const event of this.events.fresh(events)) {
      const seen = this.view.events[event.type];
      if (!seen) continue;
      if (seen.effect) {
        this.effects.start(seen.effect, event.x, event.y, this.sprites.slotColor(event.owner));
      }
      this.onEvent?.(seen, event.owner);
    }
  }

  /**
   * @param {import('./frame-view.js').FrameView} frame
   * @param {import('./frame-view.js').Scene} scene
   * @returns {{slot: number, index: number, bot: boolean}[]} index in the scene, -1: has no body now
   */
  #players(frame, scene) {
    const players = [];
    for (let slot = 0; slot < frame.playerCount; slot++) {
      const { flags, body } = frame.player(slot);
      if (!(flags & (PLAYER_FLAG.present | PLAYER_FLAG.bot))) continue;
      const index = body === NO_BODY ? -1 : scene.index[body];
      players.push({ slot, index, bot: (flags & PLAYER_FLAG.bot) !== 0 });
    }
    return players;
  }

  /**
   * @param {import('./frame-view.js').Scene} scene
   * @param {{scale: number, x: number, y: number}} place
   * @param {{index: number}[]} players drawn later, above all others
   */
  #bodies(scene, place, players) {
    const own = new Set(players.map(({ index }) => index));
    for (let i = 0; i < scene.count; i++) if (!own.has(i)) this.#body(scene, i, place, false);
  }

  /**
   * @param {import('./frame-view.js').Scene} scene @param {number} i
   * @param {{scale: number, x: number, y: number}} place
   * @param {boolean} played somebody's own body
   */
  #body(scene, i, place, played) {
    const context = this.#context;
    const kind = scene.kind[i];
    const a = scene.a[i];
    const b = scene.b[i];
    const look = lookOf(this.view.kinds[kind]?.look ?? '', b);
    const x = place.x + scene.x[i] * place.scale;
    const y = place.y + scene.y[i] * place.scale;
    const rx = a * place.scale;
    if (look.shape === 'line') {
      return this.#line(kind, scene.owner[i], x, y, rx, b * place.scale);
    }
    const state = scene.state[i];
    if (state & BODY_STATE.ghost) context.globalAlpha = GHOST_ALPHA;
    else if (state & BODY_STATE.falling) context.globalAlpha = FALLING_ALPHA;
    if (look.shape === 'halo' || rx > MAX_SPRITE_RADIUS)
      this.#big(look, kind, scene.owner[i], x, y, rx);
    else if (rx > 0) {
      const ry = look.shape === 'box' ? b * place.scale : 0;
      const sprite = this.sprites.body(kind, scene.owner[i], scene.id[i], rx, ry);
      const stretch = rx / bucketRadius(radiusBucket(rx));
      this.#copy(sprite, x, y, stretch, look.turns ? scene.angle[i] : 0);
      if (played && look === lookOf('ball', 0)) this.#eyes(x, y, rx, scene.angle[i]);
    }
    if (state !== 0) this.#state(state, x, y, rx);
    context.globalAlpha = 1;
  }

  /**
   * @param {import('./atlas.js').Sprite} sprite
   * @param {number} x @param {number} y @param {number} stretch @param {number} angle radians
   */
  #copy(sprite, x, y, stretch, angle) {
    const context = this.#context;
    const { canvas } = this.sprites.atlas;
    const w = sprite.width * stretch;
    const h = sprite.height * stretch;
    if (angle === 0) {
      context.drawImage(
        canvas,
        sprite.x,
        sprite.y,
        sprite.width,
        sprite.height,
        x - w / 2,
        y - h / 2,
        w,
        h,
      );
      return;
    }
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    context.setTransform(cos, sin, -sin, cos, x, y);
    context.drawImage(
      canvas,
      sprite.x,
      sprite.y,
      sprite.width,
      sprite.height,
      -w / 2,
      -h / 2,
      w,
      h,
    );
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** @param {number} x @param {number} y @param {number} r px @param {number} angle */
  #eyes(x, y, r, angle) {
    const bucket = radiusBucket(r);
    const size = bucketRadius(bucket);
    const key = EYES_KEYS + bucket;
    const sprite =
      this.sprites.atlas.find(key) ??
      this.sprites.atlas.add(key, size * 2, size * 2, (context) => paintEyes(context, size));
    this.#copy(sprite, x, y, r / size, angle);
  }

  /** A body too big for a sprite. @param {import('./looks.js').Look} look
   * @param {number} kind @param {number} owner @param {number} x @param {number} y @param {number} r px */
  #big(look, kind, owner, x, y, r) {
    const context = this.#context;
    const color = this.sprites.colorOf(kind, owner);
    context.setTransform(1, 0, 0, 1, x, y);
    if (this.view.kinds[kind]?.look === 'ring') {
      context.beginPath();
      context.arc(0, 0, r, 0, Math.PI * 2);
      this.#stroke(kind, color, Math.min(5 * this.place.scale, r * 0.14));
    } else look.paint?.(context, r, r, color, 0);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  /**
   * @param {number} kind @param {number} owner
   * @param {number} x @param {number} y @param {number} dx px @param {number} dy px
   */
  #line(kind, owner, x, y, dx, dy) {
    const context = this.#context;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + dx, y + dy);
    context.lineCap = 'round';
    this.#stroke(kind, this.sprites.colorOf(kind, owner), 5 * this.place.scale);
  }

  /** Strokes the current path, with a halo where the kind glows.
   * @param {number} kind @param {string} color @param {number} width px */
  #stroke(kind, color, width) {
    const context = this.#context;
    if (this.view.kinds[kind]?.glow) {
      for (const [share, alpha] of [
        [5, 0.1],
        [2.6, 0.22],
      ]) {
        context.lineWidth = Math.max(2, width * share);
        context.strokeStyle = withAlpha(color, alpha);
        context.stroke();
      }
    }
    context.lineWidth = Math.max(1.5, width);
    context.strokeStyle = lighten(color, 0.25);
    context.stroke();
  }

  /** What has just happened to a body. @param {number} state bits of BODY_STATE
   * @param {number} x @param {number} y @param {number} r px */
  #state(state, x, y, r) {
    const context = this.#context;
    if (state & BODY_STATE.hit) {
      const light = this.sprites.light('#ffffff');
      context.globalCompositeOperation = 'lighter';
      context.globalAlpha = 0.75;
      this.#copy(light, x, y, (r * 2.4) / light.width, 0);
      context.globalCompositeOperation = 'source-over';
    }
    if (state & BODY_STATE.shield) {
      context.globalAlpha = 1;
      context.beginPath();
      context.arc(x, y, r * 1.22, 0, Math.PI * 2);
      context.lineWidth = Math.max(2, r * 0.16);
      context.strokeStyle = 'rgba(225, 240, 255, 0.9)';
      context.stroke();
    }
  }
}
