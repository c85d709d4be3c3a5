/**
 * Reports that the library has been bundled with a program. The modules that programs import import this one first,
 * before others look for their files.
 */
import { existsSync } from 'node:fs';
import { PitvError } from '../errors.js';

const { url } = import.meta;
if (!url || !existsSync(new URL('./refuse-bundle.js', url))) {
  const sentence =
    'pitv finds its workers and its addon by their paths, so it cannot be part of a bundle. ' +
    'Mark it as external, for example: esbuild --external:pitv, or rollup --external pitv/pool.';
  throw new PitvError('PITV_BUNDLED', sentence);
}
