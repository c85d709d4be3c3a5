/** Limits on saved files and packages of games. */
import { limit } from './rows.js';

const SET_ASIDE = 'nothing: the file is renamed to `NAME.bad-N`, and the page says so';
const INVALID = '`PITV_PACKAGE_INVALID`';
const TOO_LARGE = '`PITV_PACKAGE_SIZE`, status 413';

export const fileLimits = Object.freeze({
  // Saved files
  savedStateBytes: limit(256 * 1024, 'bytes', {
    bounds: 'A saved file about players or the admin',
    effect: SET_ASIDE,
  }),
  savedMatchBytes: limit(16 * 1024 * 1024, 'bytes', { bounds: 'A saved match', effect: SET_ASIDE }),
  savedPictureBytes: limit(1024 * 1024, 'bytes', {
    bounds: 'The saved picture of a game',
    effect: SET_ASIDE,
  }),
  reportBytes: limit(32 * 1024 * 1024, 'bytes', {
    bounds: 'A file of the report on the System tab',
    effect: 'status 404',
  }),
  bundleBytes: limit(512 * 1024 * 1024, 'bytes', {
    bounds: 'An update that is uploaded or downloaded',
    effect: 'nothing: it is not installed, and the command or the page says so',
  }),
  bundlePartBytes: limit(1024 * 1024, 'bytes', {
    bounds: 'A part of an update that is uploaded',
    effect: 'status 413 `PITV_BODY_TOO_LARGE`',
  }),
  memoryEntries: limit(200, 'of each', {
    bounds: 'Records that are kept, and phones whose name and colour are',
    effect: 'nothing: what was not played for longest is forgotten',
  }),
  savedFiles: limit(512, 'files', {
    bounds: 'Files that are read in one folder of the data directory',
    effect: 'nothing: the others are ignored',
  }),
  badFiles: limit(8, 'files', {
    bounds: 'Files named `NAME.bad-N` in one folder of the data directory',
    effect: 'nothing: the oldest is deleted',
  }),
  // Packages of games
  packages: limit(64, 'packages', { bounds: 'Installed packages', effect: '`PITV_PACKAGE_LIMIT`' }),
  packageArchiveBytes: limit(8 * 1024 * 1024, 'bytes', {
    bounds: 'An archive of a package',
    effect: TOO_LARGE,
  }),
  packageBytes: limit(16 * 1024 * 1024, 'bytes', {
    bounds: 'All files of a package',
    effect: TOO_LARGE,
  }),
  packageFileBytes: limit(8 * 1024 * 1024, 'bytes', {
    bounds: 'A file of a package',
    effect: TOO_LARGE,
  }),
  packageFiles: limit(512, 'files', {
    bounds: 'Files and folders of a package',
    effect: TOO_LARGE,
  }),
  packagePathBytes: limit(200, 'bytes', {
    bounds: 'The path of a file in a package',
    effect: '`PITV_PACKAGE_ARCHIVE`',
  }),
  packageManifestBytes: limit(64 * 1024, 'bytes', {
    bounds: 'The package.json of a package',
    effect: INVALID,
  }),
  pictures: limit(32, 'pictures', { bounds: 'Pictures of a package', effect: INVALID }),
  pictureBytes: limit(512 * 1024, 'bytes', { bounds: 'A picture of a package', effect: INVALID }),
  pictureSide: limit(1024, 'pixels', {
    bounds: 'Width and height of a picture of a package',
    effect: INVALID,
  }),
  locales: limit(64, 'files', {
    bounds: 'Languages of a package, in its folder `locales/`',
    effect: INVALID,
  }),
  localeBytes: limit(64 * 1024, 'bytes', {
    bounds: 'A file of texts in `locales/`',
    effect: INVALID,
  }),
  sounds: limit(16, 'sounds', { bounds: 'Sounds of a package', effect: INVALID }),
  soundBytes: limit(512 * 1024, 'bytes', { bounds: 'A sound of a package', effect: INVALID }),
  soundMs: limit(5000, 'ms', { bounds: 'Duration of a sound of a package', effect: INVALID }),
});
