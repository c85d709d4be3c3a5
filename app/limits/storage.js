/** Limits on saved files. */
import { rows } from './rows.js';

export const storageLimits = rows({
  savedStateBytes: {
    bounds: 'A saved file about players or the admin',
    value: 256 * 1024,
    unit: 'bytes',
    effect: 'nothing: the file is renamed to `NAME.bad-N`, and the page says so',
  },
  savedMatchBytes: {
    bounds: 'A saved match',
    value: 16 * 1024 * 1024,
    unit: 'bytes',
    effect: 'nothing: the file is renamed to `NAME.bad-N`, and the page says so',
  },
  savedPictureBytes: {
    bounds: 'The saved picture of a game',
    value: 1024 * 1024,
    unit: 'bytes',
    effect: 'nothing: the file is renamed to `NAME.bad-N`, and the page says so',
  },
  reportBytes: {
    bounds: 'A file of the report on the System tab',
    value: 32 * 1024 * 1024,
    unit: 'bytes',
    effect: 'status 404',
  },
  bundleBytes: {
    bounds: 'An update that is uploaded or downloaded',
    value: 512 * 1024 * 1024,
    unit: 'bytes',
    effect: 'nothing: it is not installed, and the command or the page says so',
  },
  bundlePartBytes: {
    bounds: 'A part of an update that is uploaded',
    value: 1024 * 1024,
    unit: 'bytes',
    effect: 'status 413 `PITV_BODY_TOO_LARGE`',
  },
  memoryEntries: {
    bounds: 'Records that are kept, and phones whose name and colour are',
    value: 200,
    unit: 'of each',
    effect: 'nothing: what was not played for longest is forgotten',
  },
  savedFiles: {
    bounds: 'Files that are read in one folder of the data directory',
    value: 512,
    unit: 'files',
    effect: 'nothing: the others are ignored',
  },
  badFiles: {
    bounds: 'Files named `NAME.bad-N` in one folder of the data directory',
    value: 8,
    unit: 'files',
    effect: 'nothing: the oldest is deleted',
  },
});
