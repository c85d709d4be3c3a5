import { paintBackdrop } from './backdrop.js';
import { PLAYER_COLORS } from './player-colors.js';
import { Effects } from './effects.js';
import { EventTracker } from './event-tracker.js';
import { BODY_STATE, NO_BODY, PLAYER_FLAG } from './frame.js';
import { NameTags, Trails } from './marks.js';
import { lookOf } from './looks.js';
import { Shapes } from './shapes.js';
import { bucketRadius, MAX_SPRITE_RADIUS, radiusBucket, Sprites } from './sprites.js';

/**
 * Draws any game from its `view`: background, bodies, players' marks, effects. Knows kinds and
 * looks, never rules.
 */

const BALL = lookOf('ball', 0);
const GHOST_ALPHA = 0.4;
const FALLING_ALPHA = 0.75;

export class Renderer {
  trails = new Trails();
  tags = new NameTags();
  events = new EventTracker();
  /** world to px */
  place = { x: 0, y: 0, scale: 1 };
  #context;
  #shapes;
  #backdrop = document.createElement('canvas');
  /** @type {((import('./sprites.js').Sprite & {turned?: boolean}) | null)[]} of the scene's bodies */
  #found = [];

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('./types.js').GameView} view
   * @param {object} [options]
   * @param {boolean} [options.calm] less motion
   * @param {readonly string[]} [options.colors] of the slots
   * @param {number} [options.atlasSize] px
   * @param {(event: import('./types.js').EventView, owner: number) => void} [options.onEvent]
   */
  constructor(canvas, view, { calm = false, colors = PLAYER_COLORS, atlasSize, onEvent } = {}) {
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('this browser has no 2D canvas');
    this.canvas = canvas;
    this.view = view;
    this.onEvent = onEvent;
    this.#context = context;
    this.effects = new Effects({ calm });
    this.sprites = new Sprites(view, colors, atlasSize);
    this.#shapes = new Shapes(context, view);
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
    this.#shapes.scale = scale;
    this.sprites.atlas.clear();
    this.tags.resize(scale);
    paintBackdrop(this.#backdrop, view, this.place);
  }

  /** Forgets the effects, trails and events of the last match. */
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
    this.#findSprites(scene);
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
   * Finds each body's sprite before anything is drawn: painting a sprite while the atlas is being
   * copied from would make the browser copy the whole atlas, for each sprite.
   * @param {import('./frame-view.js').Scene} scene
   */
  #findSprites(scene) {
    const { atlas } = this.sprites;
    const { scale } = this.place;
    for (let attempt = 0; attempt < 2; attempt++) {
      const { generation } = atlas;
      for (let i = 0; i < scene.count; i++) {
        this.#found[i] = this.#spriteOf(scene, i, scale);
      }
      if (atlas.generation === generation) return; // else it was full and was cleared: try again
    }
  }

  /** @param {import('./frame-view.js').Scene} scene @param {number} i @param {number} scale */
  #spriteOf(scene, i, scale) {
    const kind = scene.kind[i];
    const r = scene.a[i] * scale;
    const { shape } = lookOf(this.view.kinds[kind]?.look ?? '', scene.b[i]);
    if (shape === 'line' || shape === 'halo' || !(r > 0) || r > MAX_SPRITE_RADIUS) return null;
    const owner = scene.owner[i];
    if (shape === 'box') return this.sprites.box(kind, owner, r, scene.b[i] * scale);
    return this.sprites.round(kind, owner, scene.id[i], r, scene.angle[i]);
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
   * @param {boolean} played whether it is a player's body
   */
  #body(scene, i, place, played) {
    const kind = scene.kind[i];
    const look = lookOf(this.view.kinds[kind]?.look ?? '', scene.b[i]);
    const x = place.x + scene.x[i] * place.scale;
    const y = place.y + scene.y[i] * place.scale;
    const r = scene.a[i] * place.scale;
    if (look.shape === 'line') {
      const color = this.sprites.colorOf(kind, scene.owner[i]);
      return this.#shapes.line(kind, color, x, y, r, scene.b[i] * place.scale);
    }
    const state = scene.state[i];
    if (state & BODY_STATE.ghost) this.#context.globalAlpha = GHOST_ALPHA;
    else if (state & BODY_STATE.falling) this.#context.globalAlpha = FALLING_ALPHA;
    const sprite = this.#found[i];
    const angle = scene.angle[i];
    if (sprite) {
      const stretch = r / bucketRadius(radiusBucket(r));
      this.#copy(sprite, x, y, stretch, look.turns && !sprite.turned ? angle : 0);
      if (played && look === BALL) this.#copy(this.sprites.eyes(r), x, y, stretch, angle);
    } else if (r > 0) {
      this.#shapes.big(look, kind, this.sprites.colorOf(kind, scene.owner[i]), x, y, r);
    }
    if (state !== 0) this.#state(state, x, y, r);
    this.#context.globalAlpha = 1;
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
      this.#shapes.shield(x, y, r);
    }
  }
}
