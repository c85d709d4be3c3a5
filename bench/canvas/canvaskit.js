/** Implements the part of the Canvas 2D API that clips use with canvaskit-wasm (Skia as WebAssembly). */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Context } from './canvaskit-context.js';

/** Loads the library. @param {string} folder where it is installed @returns {Promise<() => any>} makes a canvas */
export async function load(folder) {
  const require = createRequire(join(folder, 'package.json'));
  const locateFile = (/** @type {string} */ name) => require.resolve(`canvaskit-wasm/bin/${name}`);
  const kit = await require('canvaskit-wasm')({ locateFile });
  const bytes = readFileSync(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'));
  const face = kit.Typeface.MakeFreeTypeFaceFromData(new Uint8Array(bytes).buffer);
  return () => new Canvas(kit, face);
}

export class Canvas {
  #width = 1;
  #height = 1;
  /** @type {any} */
  #surface;
  /** @type {any} */
  #image;
  /** @type {any} */
  #pixels;
  /** @type {Context | undefined} */
  #context;

  /** @param {any} kit @param {any} face */
  constructor(kit, face) {
    this.kit = kit;
    this.face = face;
  }
  get width() {
    return this.#width;
  }
  set width(px) {
    this.#width = px;
    this.#clear();
  }
  get height() {
    return this.#height;
  }
  set height(px) {
    this.#height = px;
    this.#clear();
  }
  #clear() {
    this.#surface?.delete();
    this.#surface = undefined;
    this.changed();
    this.#context?.reset();
  }
  get surface() {
    return (this.#surface ??= this.kit.MakeSurface(this.#width, this.#height));
  }
  changed() {
    this.#image?.delete();
    this.#image = undefined;
  }
  /** A snapshot, from which other canvases copy. It shares its pixels with the surface until the surface changes. */
  get image() {
    return (this.#image ??= this.surface.makeImageSnapshot());
  }
  getContext() {
    return (this.#context ??= new Context(this));
  }
  get pixels() {
    const { kit } = this;
    this.#pixels ??= kit.Malloc(Uint8Array, this.#width * this.#height * 4);
    const info = {
      width: this.#width,
      height: this.#height,
      colorSpace: kit.ColorSpace.SRGB,
      colorType: kit.ColorType.RGBA_8888,
      alphaType: kit.AlphaType.Premul,
    };
    this.surface.getCanvas().readPixels(0, 0, info, this.#pixels);
    return this.#pixels.toTypedArray();
  }
}
