/** Uses @napi-rs/canvas: Skia as an addon, which is not built for ARMv6. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const PACKAGE = /** @type {string} */ ('@napi-rs/canvas');

/** Loads the library. @param {string} folder where it is installed @returns {() => any} makes a canvas */
export function load(folder) {
  const require = createRequire(join(folder, 'package.json'));
  const { createCanvas, GlobalFonts } = require(PACKAGE);
  GlobalFonts.registerFromPath(
    require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
    'system-ui',
  );
  return () => {
    const canvas = createCanvas(1, 1);
    Object.defineProperty(canvas, 'pixels', { get: () => canvas.data() });
    return canvas;
  };
}
