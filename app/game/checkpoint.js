/** Whether a checkpoint fits a world. */
import { fitCellSize } from './cells.js';
import { REAL, WORD } from './layout.js';

/**
 * @param {Uint8Array} source what should be a checkpoint
 * @param {import('./layout.js').Memory} memory of the world to restore
 * @returns {string} what is wrong with it, a sentence; empty when it fits
 */
export function problemOf(source, { bytes, header, headerReals }) {
  if (source.byteLength < bytes.byteLength) {
    return `This checkpoint has ${source.byteLength} bytes, the world has ${bytes.byteLength}.`;
  }
  const copy = source.slice(0, header.byteLength); // the source may lie at any address
  const words = new Uint32Array(copy.buffer, 0, header.length);
  const reals = new Float64Array(copy.buffer, 0, headerReals.length);
  for (const name of /** @type {const} */ (['magic', 'version', 'capacity', 'stateWords'])) {
    if (words[WORD[name]] !== header[WORD[name]]) return `This checkpoint has another ${name}.`;
  }
  const width = headerReals[REAL.width];
  const height = headerReals[REAL.height];
  if (reals[REAL.width] !== width || reals[REAL.height] !== height) {
    return 'This checkpoint is of a world of another size.';
  }
  const capacity = header[WORD.capacity];
  const cellSize = reals[REAL.cellSize];
  const whole =
    words[WORD.high] <= capacity &&
    words[WORD.count] <= words[WORD.high] &&
    words[WORD.lowestFree] <= words[WORD.count] &&
    cellSize > 0 &&
    fitCellSize(cellSize, capacity, width, height) === cellSize;
  return whole ? '' : 'This checkpoint is damaged.';
}
