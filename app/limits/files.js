/** Limits on saved files and packages of games. */
import { limit } from './rows.js';

const SET_ASIDE = 'nothing: the file is renamed to `NAME.bad-N`, and the page says so';
const INVALID = '`PITV_PACKAGE_INVALID`';
const TOO_LARGE = '`PITV_PACKAGE_SIZE`, status 413';

export const fileLimits = Object.freeze({
  // Saved files
  savedStateBytes: limit('A saved file about players or the admin', 256 * 1024, 'bytes', SET_ASIDE),
  savedMatchBytes: limit('A saved match', 16 * 1024 * 1024, 'bytes', SET_ASIDE),
  savedPictureBytes: limit('The saved picture of a game', 1024 * 1024, 'bytes', SET_ASIDE),
  reportBytes: limit(
    'A file of the report on the System tab',
    32 * 1024 * 1024,
    'bytes',
    'status 404',
  ),
  bundleBytes: limit(
    'An update that is uploaded or downloaded',
    512 * 1024 * 1024,
    'bytes',
    'nothing: it is not installed, and the command or the page says so',
  ),
  bundlePartBytes: limit(
    'A part of an update that is uploaded',
    1024 * 1024,
    'bytes',
    'status 413 `PITV_BODY_TOO_LARGE`',
  ),
  memoryEntries: limit(
    'Records that are kept, and phones whose name and colour are',
    200,
    'of each',
    'nothing: what was not played for longest is forgotten',
  ),
  savedFiles: limit(
    'Files that are read in one folder of the data directory',
    512,
    'files',
    'nothing: the others are ignored',
  ),
  badFiles: limit(
    'Files named `NAME.bad-N` in one folder of the data directory',
    8,
    'files',
    'nothing: the oldest is deleted',
  ),
  // Packages of games
  packages: limit('Installed packages', 64, 'packages', '`PITV_PACKAGE_LIMIT`'),
  packageArchiveBytes: limit('An archive of a package', 8 * 1024 * 1024, 'bytes', TOO_LARGE),
  packageStalledMs: limit(
    'Time in which the upload of a package brings no bytes',
    10_000,
    'ms',
    'the end of the connection',
  ),
  packageBytes: limit('All files of a package', 16 * 1024 * 1024, 'bytes', TOO_LARGE),
  packageFileBytes: limit('A file of a package', 8 * 1024 * 1024, 'bytes', TOO_LARGE),
  packageFiles: limit('Files and folders of a package', 512, 'files', TOO_LARGE),
  packagePathBytes: limit(
    'The path of a file in a package',
    200,
    'bytes',
    '`PITV_PACKAGE_ARCHIVE`',
  ),
  packageManifestBytes: limit('The package.json of a package', 64 * 1024, 'bytes', INVALID),
  pictures: limit('Pictures of a package', 32, 'pictures', INVALID),
  pictureBytes: limit('A picture of a package', 512 * 1024, 'bytes', INVALID),
  pictureSide: limit('Width and height of a picture of a package', 1024, 'pixels', INVALID),
  locales: limit('Languages of a package, in its folder `locales/`', 64, 'files', INVALID),
  localeBytes: limit('A file of texts in `locales/`', 64 * 1024, 'bytes', INVALID),
  sounds: limit('Sounds of a package', 16, 'sounds', INVALID),
  soundBytes: limit('A sound of a package', 512 * 1024, 'bytes', INVALID),
  soundMs: limit('Duration of a sound of a package', 5000, 'ms', INVALID),
});
