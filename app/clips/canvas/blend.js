/** Blends colours and pictures into pixels, which are premultiplied bytes: r, g, b, a. */

/**
 * Blends a colour into a run of pixels.
 * @param {Uint8Array} pixels @param {number} at of the first pixel's red
 * @param {Float32Array} coverage 0..1 @param {number} count
 * @param {ArrayLike<number>} color r, g, b, a, premultiplied, 0..255 @param {number} alpha 0..1
 * @param {boolean} lighter adds the colour instead of covering with it
 */
export function blendSolid(pixels, at, coverage, count, color, alpha, lighter) {
  const r = color[0];
  const g = color[1];
  const b = color[2];
  const a = color[3];
  for (let i = 0; i < count; i++, at += 4) {
    const k = coverage[i] * alpha;
    if (k === 0) continue;
    mix(pixels, at, r * k, g * k, b * k, a * k, lighter);
  }
}

/**
 * Blends a gradient into a run of pixels.
 * @param {Uint8Array} pixels @param {number} at
 * @param {Float32Array} coverage @param {number} count
 * @param {Uint8Array} steps colours of the gradient
 * @param {(i: number) => number} step returns the step of the i-th pixel
 * @param {number} alpha @param {boolean} lighter
 */
export function blendSteps(pixels, at, coverage, count, steps, step, alpha, lighter) {
  for (let i = 0; i < count; i++, at += 4) {
    const k = coverage[i] * alpha;
    if (k === 0) continue;
    const s = step(i) * 4;
    if (s < 0) continue;
    mix(pixels, at, steps[s] * k, steps[s + 1] * k, steps[s + 2] * k, steps[s + 3] * k, lighter);
  }
}

/**
 * Blends a colour into one pixel.
 * @param {Uint8Array} pixels @param {number} at
 * @param {number} r @param {number} g @param {number} b @param {number} a premultiplied
 * @param {boolean} lighter
 */
function mix(pixels, at, r, g, b, a, lighter) {
  const rest = lighter ? 1 : 1 - a / 255;
  const red = r + pixels[at] * rest + 0.5;
  const green = g + pixels[at + 1] * rest + 0.5;
  const blue = b + pixels[at + 2] * rest + 0.5;
  const alpha = a + pixels[at + 3] * rest + 0.5;
  pixels[at] = red > 255 ? 255 : red;
  pixels[at + 1] = green > 255 ? 255 : green;
  pixels[at + 2] = blue > 255 ? 255 : blue;
  pixels[at + 3] = alpha > 255 ? 255 : alpha;
}

/**
 * Copies a part of a picture onto another one without scaling.
 * @param {{pixels: Uint8Array, width: number}} to @param {number} x @param {number} y
 * @param {{pixels: Uint8Array, width: number}} from @param {number} sx @param {number} sy
 * @param {number} width @param {number} height all within both pictures
 */
export function copyPart(to, x, y, from, sx, sy, width, height) {
  for (let row = 0; row < height; row++) {
    let s = ((sy + row) * from.width + sx) * 4;
    let d = ((y + row) * to.width + x) * 4;
    for (let i = 0; i < width; i++, s += 4, d += 4) {
      const a = from.pixels[s + 3];
      if (a === 0) continue;
      if (a === 255) {
        to.pixels[d] = from.pixels[s];
        to.pixels[d + 1] = from.pixels[s + 1];
        to.pixels[d + 2] = from.pixels[s + 2];
        to.pixels[d + 3] = 255;
      } else mix(to.pixels, d, from.pixels[s], from.pixels[s + 1], from.pixels[s + 2], a, false);
    }
  }
}

/**
 * Copies a part of a picture onto another one with scaling and rotation, by bilinear interpolation.
 * @param {{pixels: Uint8Array, width: number}} to
 * @param {import('./raster.js').Box} box target area, px
 * @param {{pixels: Uint8Array, width: number}} from
 * @param {{x: number, y: number, width: number, height: number}} part area of `from`, px
 * @param {import('./path.js').Matrix} back transform from target pixels to pixels of the part
 * @param {number} alpha @param {boolean} lighter
 */
export function copyScaled(to, box, from, part, [a, b, c, d, e, f], alpha, lighter) {
  const { pixels } = from;
  const right = part.width - 1;
  const bottom = part.height - 1;
  const origin = part.y * from.width + part.x;
  for (let y = box.y0; y < box.y1; y++) {
    let u = a * (box.x0 + 0.5) + c * (y + 0.5) + e - 0.5;
    let v = b * (box.x0 + 0.5) + d * (y + 0.5) + f - 0.5;
    let at = (y * to.width + box.x0) * 4;
    for (let x = box.x0; x < box.x1; x++, at += 4, u += a, v += b) {
      if (u <= -0.5 || v <= -0.5 || u >= right + 0.5 || v >= bottom + 0.5) continue;
      const u0 = u < 0 ? 0 : u | 0;
      const v0 = v < 0 ? 0 : v | 0;
      const p = (origin + v0 * from.width + u0) * 4;
      const q = u0 < right ? p + 4 : p;
      const down = v0 < bottom ? from.width * 4 : 0;
      const fu = u < 0 ? 0 : u - u0;
      const fv = v < 0 ? 0 : v - v0;
      const w11 = fu * fv * alpha;
      const w10 = fu * alpha - w11;
      const w01 = fv * alpha - w11;
      const w00 = alpha - w10 - w01 - w11;
      const opacity =
        pixels[p + 3] * w00 +
        pixels[q + 3] * w10 +
        pixels[p + down + 3] * w01 +
        pixels[q + down + 3] * w11;
      if (opacity < 0.25) continue;
      mix(
        to.pixels,
        at,
        pixels[p] * w00 + pixels[q] * w10 + pixels[p + down] * w01 + pixels[q + down] * w11,
        pixels[p + 1] * w00 +
          pixels[q + 1] * w10 +
          pixels[p + down + 1] * w01 +
          pixels[q + down + 1] * w11,
        pixels[p + 2] * w00 +
          pixels[q + 2] * w10 +
          pixels[p + down + 2] * w01 +
          pixels[q + down + 2] * w11,
        opacity,
        lighter,
      );
    }
  }
}
