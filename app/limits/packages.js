/** Limits on packages of games. */
import { rows } from './rows.js';

export const packageLimits = rows({
  packages: {
    bounds: 'Installed packages',
    value: 64,
    unit: 'packages',
    option: '',
    effect: '`PITV_PACKAGE_LIMIT`',
  },
  packageArchiveBytes: {
    bounds: 'An archive of a package',
    value: 8 * 1024 * 1024,
    unit: 'bytes',
    option: '',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packageBytes: {
    bounds: 'All files of a package',
    value: 16 * 1024 * 1024,
    unit: 'bytes',
    option: '',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packageFileBytes: {
    bounds: 'A file of a package',
    value: 8 * 1024 * 1024,
    unit: 'bytes',
    option: '',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packageFiles: {
    bounds: 'Files and folders of a package',
    value: 512,
    unit: 'files',
    option: '',
    effect: '`PITV_PACKAGE_SIZE`, status 413',
  },
  packagePathBytes: {
    bounds: 'The path of a file in a package',
    value: 200,
    unit: 'bytes',
    option: '',
    effect: '`PITV_PACKAGE_ARCHIVE`',
  },
  packageManifestBytes: {
    bounds: 'The package.json of a package',
    value: 64 * 1024,
    unit: 'bytes',
    option: '',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  pictures: {
    bounds: 'Pictures of a package',
    value: 32,
    unit: 'pictures',
    option: '',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  pictureBytes: {
    bounds: 'A picture of a package',
    value: 512 * 1024,
    unit: 'bytes',
    option: '',
    effect: '`PITV_PACKAGE_INVALID`',
  },
  pictureSide: {
    bounds: 'Width and height of a picture of a package',
    value: 1024,
    unit: 'pixels',
    option: '',
    effect: '`PITV_PACKAGE_INVALID`',
  },
});
