/** The kinds of board there is a card for, and what each is called by whoever has a word for it. */

/**
 * @typedef {object} Board
 * @property {string} name as in BOARD=, and Debian's architecture
 * @property {string} cpu npm's and Node's word
 * @property {string} cc the cross compiler
 * @property {string} cflags
 * @property {string} boards which boards, for people
 * @property {string} config what config.txt says beside the common part
 * @property {string[]} imagerDevices Raspberry Pi Imager's tags of the boards
 * @property {string} imagerArchitecture
 * @property {string[]} omit npm's kinds of dependencies left out on top of dev
 */

/** @type {Readonly<Record<string, Board>>} */
export const BOARDS = Object.freeze({
  armhf: {
    name: 'armhf',
    cpu: 'arm',
    cc: 'arm-linux-gnueabihf-gcc',
    cflags: '-O2',
    boards: 'Raspberry Pi 2, 3, Zero 2 W (Pi 4: Wi-Fi only)',
    config: '',
    imagerDevices: ['pi2-32bit', 'pi3-32bit', 'pi4-32bit'],
    imagerArchitecture: 'armhf',
    omit: [],
  },
  armel: {
    name: 'armel',
    cpu: 'arm',
    cc: 'arm-linux-gnueabi-gcc',
    cflags: '-O2 -march=armv6k+fp -mfloat-abi=softfp',
    boards: 'Raspberry Pi 1, Zero, Zero W',
    config: '',
    imagerDevices: ['pi1-32bit'],
    imagerArchitecture: 'armel',
    omit: ['optional'], // npm knows one kind of 32-bit Arm, and its binaries are for the other
  },
  arm64: {
    name: 'arm64',
    cpu: 'arm64',
    cc: 'aarch64-linux-gnu-gcc',
    cflags: '-O2',
    boards: 'Raspberry Pi 3, Zero 2 W, 4',
    config: 'arm_64bit=1\n',
    imagerDevices: ['pi3-64bit', 'pi4-64bit'],
    imagerArchitecture: 'armv8',
    omit: [],
  },
});
