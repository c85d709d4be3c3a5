/** A picture that the software canvas draws. */

export class Picture {
  /** @type {Picture | undefined} */
  #half;

  /** @param {number} width @param {number} height px @param {Uint8Array} pixels premultiplied r, g, b, a */
  constructor(width, height, pixels) {
    this.width = width;
    this.height = height;
    this.pixels = pixels;
  }

  /**
   * Makes a picture.
   * @param {{width: number, height: number, pixels: Uint8Array}} raw pixels: r, g, b, a, not premultiplied
   */
  static premultiply({ width, height, pixels }) {
    const target = new Uint8Array(width * height * 4);
    for (let i = 0; i < target.length; i += 4) {
      const alpha = pixels[i + 3];
      for (let c = 0; c < 3; c++) target[i + c] = Math.round((pixels[i + c] * alpha) / 255);
      target[i + 3] = alpha;
    }
    return new Picture(width, height, target);
  }

  /**
   * Returns the picture, or a smaller copy if it is drawn much smaller: bilinear interpolation reads only four pixels.
   * @param {number} shrink pixels of the picture for each pixel of the target
   * @returns {Picture}
   */
  sized(shrink) {
    return shrink < 2 || Math.min(this.width, this.height) < 2
      ? this
      : (this.#half ??= this.#halve()).sized(shrink / 2);
  }

  /** Averages blocks of four pixels. The last column and row of an odd size are left out. */
  #halve() {
    const width = this.width >> 1;
    const height = this.height >> 1;
    const from = this.pixels;
    const row = this.width * 4;
    const target = new Uint8Array(width * height * 4);
    for (let y = 0, to = 0; y < height; y++) {
      for (let x = 0, at = 2 * y * row; x < width; x++, at += 8) {
        for (let c = at; c < at + 4; c++, to++) {
          target[to] = (from[c] + from[c + 4] + from[c + row] + from[c + row + 4] + 2) >> 2;
        }
      }
    }
    return new Picture(width, height, target);
  }
}
