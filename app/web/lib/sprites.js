import { Atlas } from './atlas.js';
import { lighten, mix } from './color.js';
import { PLAYER_COLORS } from '../../match/player-colors.js';
import { lookOf, paintEyes, paintGlow } from './looks.js';
import { GLOW_REACH } from './shapes.js';

/**
 * The sprites of a game at one resolution. A body is drawn with the sprite of its kind, owner and the
 * next larger radius, scaled to the exact size.
 */

const OWNERS = PLAYER_COLORS.length + 1;
const VARIANTS = 8;
const BUCKETS = 64;
/**
 * Number of directions in which small bodies are painted in advance. Without a graphics chip, copying a
 * rotated picture takes ten times as long as an unrotated one (measured in Chromium).
 */
const TURNS = 32;
/** Maximum size of sprites that are painted in all directions, px. */
const MAX_TURNED_SIZE = 56;
const GLOW_STRENGTH = 0.5;
/** Half size of a sprite without a halo, in radii of the body. */
const EDGE = 1.08;
/** Larger bodies are painted each time, because their sprites would fill the atlas. px */
export const MAX_SPRITE_RADIUS = 150;
/** Ranges of keys in the atlas. Keys below BOX_KEYS: round bodies, kinds up to 255. */
const BOX_KEYS = 40_000_000;
const EYES_KEYS = 60_000_000;
const GLOW_KEYS = 70_000_000;
/** Flashing round bodies. */
const HIT_KEYS = 100_000_000;
const GLOW_RADIUS = 32;
/** Radius of the flash of a body that is hit, in radii of the body. */
export const FLASH_REACH = 1.2;
export const FLASH_ALPHA = 0.75;
const TINT = 0.6;

/** @typedef {import('./atlas.js').Sprite} Sprite */

/** Rounds a radius up to a bucket; larger buckets are wider. @param {number} r px @returns {number} */
export function radiusBucket(r) {
  if (r <= 32) return Math.max(1, Math.ceil(r));
  return 32 + Math.ceil((r - 32) / 4);
}

/** Returns the radius of a bucket. @param {number} bucket @returns {number} px */
export const bucketRadius = (bucket) => (bucket <= 32 ? bucket : 32 + (bucket - 32) * 4);

/** Returns the direction that is next to an angle. @param {number} angle radians @returns {number} 0..TURNS - 1 */
const turnOf = (angle) => Math.round((angle * TURNS) / (2 * Math.PI)) & (TURNS - 1);

/** Paints the flash over a body. @param {CanvasRenderingContext2D} context @param {number} r px */
function paintFlash(context, r) {
  context.globalCompositeOperation = 'lighter';
  context.globalAlpha = FLASH_ALPHA;
  paintLight(context, r * FLASH_REACH, '#ffffff');
}

/** @param {CanvasRenderingContext2D} context @param {number} r px @param {string} color '#rrggbb' */
function paintLight(context, r, color) {
  paintGlow(context, r, color);
  context.globalAlpha *= 0.9;
  paintGlow(context, r * 0.4, lighten(color, 0.6));
}

export class Sprites {
  /** Drawn instead of looks. Clear the atlas after a change. @type {import('./game-files.js').Pictures} */
  pictures = new Map();
  /** Whether sprites are small and cheap to draw: without glow, at whole pixels. Clear the atlas after a change. */
  isLow = false;
  atlas = new Atlas();
  #kinds;

  /**
   * @param {import('./types.js').GameView} view
   * @param {readonly string[]} colors by slot. Clear the atlas after a change
   */
  constructor(view, colors) {
    this.colors = colors;
    this.#kinds = view.kinds;
  }

  /** Returns the colour of a slot. @param {number} slot @returns {string} '#rrggbb', white without a player */
  slotColor(slot) {
    return this.colors[slot] ?? '#ffffff';
  }

  /**
   * Returns the colour of a body. Kinds of the colour 'owner' have the owner's colour. Other kinds with
   * an owner are only tinted, so that they are not mistaken for the player.
   * @param {number} kind @param {number} owner slot, or 255
   * @returns {string} '#rrggbb'
   */
  colorOf(kind, owner) {
    const color = this.#kinds[kind]?.color ?? '#8a8fa3';
    const own = this.colors[owner];
    if (color === 'owner') return own ?? '#c9c6e6';
    return own ? mix(color, own, TINT) : color;
  }

  /**
   * Returns the sprite of a round body.
   * @param {number} kind @param {number} owner @param {number} id of the body, selects the variant
   * @param {number} r px @param {number} angle radians
   * @param {boolean} isHit whether the body flashes
   * @returns {Sprite & {turned?: boolean}} turned: the sprite is already rotated
   */
  round(kind, owner, id, r, angle, isHit) {
    const view = this.#kinds[kind];
    const look = lookOf(view?.look ?? '', 0);
    const variant = look.variants ? id % look.variants : 0;
    const bucket = radiusBucket(r);
    const radius = bucketRadius(bucket);
    const glow = this.#glowOf(kind);
    const reach = isHit ? FLASH_REACH : EDGE;
    const size = 2 * (glow > 0 ? radius * GLOW_REACH : radius * reach + 1);
    const turned = look.turns === true && size <= MAX_TURNED_SIZE;
    const step = turned ? turnOf(angle) : 0;
    const key =
      (isHit ? HIT_KEYS : 0) +
      (((kind * OWNERS + this.#slot(owner)) * VARIANTS + variant) * TURNS + step) * BUCKETS +
      bucket;
    const found = this.atlas.find(key);
    if (found) return found;
    const color = this.colorOf(kind, owner);
    const sprite = this.atlas.add(key, size, size, (context) => {
      if (glow > 0) this.#halo(context, radius, color, glow);
      context.rotate((step * 2 * Math.PI) / TURNS);
      this.#paint(context, kind, look, radius, radius, color, variant);
      if (isHit) paintFlash(context, radius);
    });
    return Object.assign(sprite, { turned });
  }

  /**
   * Returns the sprite of a box.
   * @param {number} kind @param {number} owner
   * @param {number} rx half width, px @param {number} ry half height, px
   * @returns {Sprite} for the buckets of rx and ry
   */
  box(kind, owner, rx, ry) {
    const view = this.#kinds[kind];
    const wide = radiusBucket(rx);
    const high = radiusBucket(ry);
    const key = BOX_KEYS + ((kind * OWNERS + this.#slot(owner)) * BUCKETS + wide) * BUCKETS + high;
    const found = this.atlas.find(key);
    if (found) return found;
    const halfWidth = bucketRadius(wide);
    const halfHeight = bucketRadius(high);
    const color = this.colorOf(kind, owner);
    const glow = this.#glowOf(kind);
    const reach = glow > 0 ? GLOW_REACH : EDGE;
    return this.atlas.add(key, halfWidth * 2 * reach, halfHeight * 2 * reach, (context) => {
      if (glow > 0) {
        context.save();
        context.scale(1, halfHeight / halfWidth);
        this.#halo(context, halfWidth, color, glow);
        context.restore();
      }
      this.#paint(context, kind, lookOf(view?.look ?? '', 1), halfWidth, halfHeight, color, 0);
    });
  }

  /** Returns the picture of a kind, once it is loaded. @param {number} kind @returns {HTMLImageElement | undefined} */
  pictureOf(kind) {
    return this.pictures.get(this.#kinds[kind]?.picture ?? '');
  }

  /**
   * Paints a body's picture or look.
   * @param {CanvasRenderingContext2D} context @param {number} kind @param {import('./looks.js').Look} look
   * @param {number} rx px @param {number} ry px @param {string} color @param {number} variant
   */
  #paint(context, kind, look, rx, ry, color, variant) {
    const picture = this.pictureOf(kind);
    if (picture) context.drawImage(picture, -rx, -ry, 2 * rx, 2 * ry);
    else look.paint?.(context, rx, ry, color, variant);
  }

  /** Tells whether a kind has neither a picture nor a halo. @param {number} kind */
  isPlain(kind) {
    return !this.#kinds[kind]?.glow && !this.pictureOf(kind);
  }

  /** @param {number} kind @returns {number} strength of its halo */
  #glowOf(kind) {
    return this.isLow ? 0 : Number(this.#kinds[kind]?.glow ?? 0);
  }

  /** @param {number} owner @returns {number} */
  #slot(owner) {
    return owner < PLAYER_COLORS.length ? owner : PLAYER_COLORS.length;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} r @param {string} color @param {number} glow */
  #halo(context, r, color, glow) {
    context.globalAlpha = Math.min(1, GLOW_STRENGTH * glow);
    paintGlow(context, r * GLOW_REACH, color);
    context.globalAlpha = 1;
  }

  /**
   * Draws the eyes of a ball.
   * @param {CanvasRenderingContext2D} context
   * @param {number} x @param {number} y @param {number} r px @param {number} stretch @param {number} angle radians
   */
  drawEyes(context, x, y, r, stretch, angle) {
    const bucket = radiusBucket(r);
    const size = bucketRadius(bucket);
    const step = this.isLow ? turnOf(angle) : 0;
    const key = EYES_KEYS + step * BUCKETS + bucket;
    const paint = (/** @type {CanvasRenderingContext2D} */ sprite) => {
      sprite.rotate((step * 2 * Math.PI) / TURNS);
      paintEyes(sprite, size);
    };
    const sprite = this.atlas.find(key) ?? this.atlas.add(key, size * 2, size * 2, paint);
    this.draw(context, sprite, x, y, stretch, this.isLow ? 0 : angle);
  }

  /** Returns the sprite of a soft light for particles and trails, 64 px wide. @param {string} color '#rrggbb' */
  light(color) {
    const key = GLOW_KEYS + parseInt(color.slice(1), 16);
    return (
      this.atlas.find(key) ??
      this.atlas.add(key, GLOW_RADIUS * 2, GLOW_RADIUS * 2, (context) =>
        paintLight(context, GLOW_RADIUS, color),
      )
    );
  }

  /**
   * Draws a sprite.
   * @param {CanvasRenderingContext2D} context
   * @param {Sprite} sprite
   * @param {number} x @param {number} y @param {number} stretch @param {number} angle radians
   */
  draw(context, sprite, x, y, stretch, angle) {
    if (this.isLow && angle === 0) {
      const { width, height } = sprite;
      const left = Math.round(x - width / 2);
      this.copy(context, sprite, left, Math.round(y - height / 2), width, height);
      return;
    }
    const w = sprite.width * stretch;
    const h = sprite.height * stretch;
    if (angle === 0) return this.copy(context, sprite, x - w / 2, y - h / 2, w, h);
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    context.setTransform(cos, sin, -sin, cos, x, y);
    this.copy(context, sprite, -w / 2, -h / 2, w, h);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  /**
   * Copies a sprite into a box, px.
   * @param {CanvasRenderingContext2D} context @param {Sprite} sprite
   * @param {number} left @param {number} top @param {number} w @param {number} h
   */
  copy(context, { canvas, x, y, width, height }, left, top, w, h) {
    context.drawImage(canvas, x, y, width, height, left, top, w, h);
  }
}
