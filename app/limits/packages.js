/** Limits on packages of games. */
import { rows } from './rows.js';

export const packageLimits = rows({
  packages: {
    bounds: 'Installed packages',
    value: 64,
    unit: 'packages',
    effect: '`PITV_PACKAGE_LIMIT`',
  },
  packageArchiveBytes: {
    bounds: 'An archive of a package',
    value: 8 * 1024 * 1024,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packageStalledMs: {
    bounds: 'Time in which the upload of a package brings no bytes',
    value: 10_000,
    unit: 'ms',
    effect: 'the end of the connection',
  },
  packageBytes: {
    bounds: 'All files of a package',
    value: 16 * 1024 * 1024,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packageFileBytes: {
    bounds: 'A file of a package',
    value: 8 * 1024 * 1024,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packageFiles: {
    bounds: 'Files and folders of a package',
    value: 512,
    unit: 'files',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packagePathBytes: {
    bounds: 'The path of a file in a package',
    value: 200,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_ARCHIVE`',
  },
  packageManifestBytes: {
    bounds: 'The package.json of a package',
    value: 64 * 1024,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  pictures: {
    bounds: 'Pictures of a package',
    value: 32,
    unit: 'pictures',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  pictureBytes: {
    bounds: 'A picture of a package',
    value: 512 * 1024,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  pictureSide: {
    bounds: 'Width and height of a picture of a package',
    value: 1024,
    unit: 'pixels',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  locales: {
    bounds: 'Languages of a package, in its folder `locales/`',
    value: 64,
    unit: 'files',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  localeBytes: {
    bounds: 'A file of texts in `locales/`',
    value: 64 * 1024,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  sounds: {
    bounds: 'Sounds of a package',
    value: 16,
    unit: 'sounds',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  soundBytes: {
    bounds: 'A sound of a package',
    value: 512 * 1024,
    unit: 'bytes',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  soundMs: {
    bounds: 'Duration of a sound of a package',
    value: 5000,
    unit: 'ms',
    effect: '`PITV_PACKAGE_INVALID`',
  },
});
