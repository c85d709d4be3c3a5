/** Checks that a checkpoint belongs to a world. */
import { fitCellSize } from './cells.js';
import { REAL, WORD } from './layout.js';

/**
 * Compares a checkpoint with the world that would restore it.
 * @param {Uint8Array} source the checkpoint
 * @param {import('./layout.js').Memory} memory of the world to restore
 * @returns {string} a sentence that describes the problem, or '' if the checkpoint fits
 */
export function findCheckpointProblem(source, { bytes, header, headerReals }) {
  if (source.byteLength < bytes.byteLength) {
    return `This checkpoint has ${source.byteLength} bytes, the world needs ${bytes.byteLength}.`;
  }
  const copy = source.slice(0, header.byteLength); // the source may be unaligned
  const words = new Uint32Array(copy.buffer, 0, header.length);
  const reals = new Float64Array(copy.buffer, 0, headerReals.length);
  for (const name of /** @type {const} */ (['magic', 'version', 'capacity', 'stateWords'])) {
    if (words[WORD[name]] !== header[WORD[name]])
      return `The ${name} of this checkpoint differs from the world's.`;
  }
  const width = headerReals[REAL.width];
  const height = headerReals[REAL.height];
  if (reals[REAL.width] !== width || reals[REAL.height] !== height) {
    return 'This checkpoint comes from a world of a different size.';
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
