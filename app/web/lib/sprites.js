import { Atlas } from './atlas.js';
import { lighten, mix, PLAYER_COLORS } from './color.js';
import { lookOf, paintGlow } from './looks.js';

/**
 * The sprites of one game at one resolution. A body is drawn from the sprite of its kind, owner and
 * the nearest radius above; the copy is scaled to the exact size.
 */

const OWNERS = PLAYER_COLORS.length + 1;
const VARIANTS = 8;
const BUCKETS = 256;
/** Halo radius in body radii. */
const GLOW_REACH = 2.1;
const GLOW_STRENGTH = 0.5;
/** Bodies above this radius are painted each time: a sprite would eat the atlas. px */
export const MAX_SPRITE_RADIUS = 150;
/** Keys above the bodies': glows of effects, one a colour. */
const GLOW_KEYS = 1 << 28;
const GLOW_RADIUS = 32;
const TINT = 0.6;

/** Radii are rounded up to steps that grow with the size. @param {number} r px @returns {number} */
export function radiusBucket(r) {
  if (r <= 32) return Math.max(1, Math.ceil(r));
  return 32 + Math.ceil((r - 32) / 4);
}

/** @param {number} bucket @returns {number} px */
export function bucketRadius(bucket) {
  return bucket <= 32 ? bucket : 32 + (bucket - 32) * 4;
}

export class Sprites {
  atlas = new Atlas();
  #kinds;

  #colors;

  /**
   * @param {import('./types.js').GameView} view
   * @param {readonly string[]} colors of the slots
   */
  constructor(view, colors = PLAYER_COLORS) {
    this.#kinds = view.kinds;
    this.#colors = colors;
  }

  /** @param {number} slot @returns {string} '#rrggbb'; white for nobody */
  slotColor(slot) {
    return this.#colors[slot] ?? '#ffffff';
  }

  /**
   * A kind of colour 'owner' has its owner's; another kind that somebody owns is only tinted, so
   * that a player's things are not taken for the player.
   * @param {number} kind @param {number} owner slot, or 255
   * @returns {string} '#rrggbb'
   */
  colorOf(kind, owner) {
    const color = this.#kinds[kind]?.color ?? '#8a8fa3';
    const own = this.#colors[owner];
    if (color === 'owner') return own ?? '#c9c6e6';
    return own ? mix(color, own, TINT) : color;
  }

  /**
   * @param {number} kind @param {number} owner @param {number} id of the body, for its variant
   * @param {number} rx px @param {number} ry px; 0 for a circle
   * @returns {import('./atlas.js').Sprite & {radius?: number}}
   */
  body(kind, owner, id, rx, ry) {
    const view = this.#kinds[kind];
    const look = lookOf(view?.look ?? '', ry);
    const variant = look.variants ? id % look.variants : 0;
    const slot = owner < PLAYER_COLORS.length ? owner : PLAYER_COLORS.length;
    const wide = radiusBucket(rx);
    const high = ry > 0 ? radiusBucket(ry) : 0;
    const key = (((kind * OWNERS + slot) * VARIANTS + variant) * BUCKETS + wide) * BUCKETS + high;
    const found = this.atlas.find(key);
    if (found) return found;
    const r = bucketRadius(wide);
    const halfHeight = high ? bucketRadius(high) : r;
    const color = this.colorOf(kind, owner);
    const glow = Number(view?.glow ?? 0);
    const reach = glow > 0 ? GLOW_REACH : 1.08;
    const margin = glow > 0 ? 0 : 2;
    return this.atlas.add(
      key,
      r * 2 * reach + margin,
      halfHeight * 2 * reach + margin,
      (context) => {
        if (glow > 0) {
          context.save();
          context.scale(1, halfHeight / r);
          context.globalAlpha = Math.min(1, GLOW_STRENGTH * glow);
          paintGlow(context, r * GLOW_REACH, color);
          context.restore();
        }
        look.paint?.(context, r, halfHeight, color, variant);
      },
    );
  }

  /** A soft light for particles and trails, 64 px wide. @param {string} color '#rrggbb' */
  light(color) {
    const key = GLOW_KEYS + parseInt(color.slice(1), 16);
    return (
      this.atlas.find(key) ??
      this.atlas.add(key, GLOW_RADIUS * 2, GLOW_RADIUS * 2, (context) => {
        paintGlow(context, GLOW_RADIUS, color);
        context.globalAlpha = 0.9;
        paintGlow(context, GLOW_RADIUS * 0.4, lighten(color, 0.6));
      })
    );
  }
}
