/**
 * QEMU's boards and the arguments to boot a card. QEMU does not run the first boot stages of a board
 * (bootcode.bin, start.elf): it gets kernel, initrd and device tree directly.
 */
import { PitvError } from '../../app/errors.js';
import { words } from '../sd/shell.js';

/**
 * @typedef {object} MachineKind
 * @property {string} qemu the program
 * @property {string[]} args
 * @property {string} [tree] device tree, by its name on the card
 * @property {string} console the kernel's name of the serial line that is read
 * @property {number} serial index of that serial line
 * @property {boolean} isVirtual whether disk and network are virtio's; otherwise an SD card and a USB adapter
 * @property {string[]} append additional words for the kernel's command line
 * @property {string} [uboot] the variant of the card's U-Boot that QEMU starts instead of the kernel, if the card has
 *   one
 * @property {boolean} [adaptUboot] whether QEMU can start it only after changes, see disk.js
 * @property {{args: string[], append: string[]}} oneCore how to start it with one core: arguments of QEMU, and words
 *   for the kernel's command line
 */

const PI = {
  qemu: 'qemu-system-arm',
  console: 'ttyAMA0,115200',
  serial: 0,
  isVirtual: false,
  append: [],
  oneCore: { args: ['-smp', '1'], append: [] },
};
const ARM64 = 'qemu-system-aarch64';
const VIRT = { ...PI, isVirtual: true };
const CORES = words`-smp 4 -m 1024`;

/**
 * The machines of each board. The first one emulates the board; `virt` boots the same card with a faster and
 * more reliable disk and network, for tests that do not need the board's hardware.
 * @type {Readonly<Record<string, Readonly<Record<string, MachineKind>>>>}
 */
export const MACHINES = Object.freeze({
  armhf: {
    raspi2b: {
      ...PI,
      args: ['-M', 'raspi2b'],
      tree: 'bcm2836-rpi-2-b.dtb',
      uboot: 'rpi_2',
      adaptUboot: true,
      // The board always has four cores. Three remain off.
      oneCore: { args: ['-global', 'bcm2836.enabled-cpus=1'], append: ['maxcpus=1'] },
    },
    virt: { ...VIRT, args: words`-M virt,highmem=off -cpu cortex-a7 ${CORES}` },
  },
  armel: {
    raspi1ap: {
      ...PI,
      args: ['-M', 'raspi1ap'],
      tree: 'bcm2835-rpi-a-plus.dtb',
      // QEMU has no power domains.
      append: ['initcall_blacklist=bcm2835_power_driver_init'],
    },
  },
  arm64: {
    raspi3b: {
      ...PI,
      qemu: ARM64,
      args: ['-M', 'raspi3b'],
      tree: 'bcm2837-rpi-3-b.dtb',
      console: 'ttyS1,115200',
      serial: 1,
      uboot: 'rpi_arm64',
      oneCore: { args: ['-global', 'bcm2837.enabled-cpus=1'], append: ['maxcpus=1'] },
    },
    virt: { ...VIRT, qemu: ARM64, args: words`-M virt -cpu cortex-a53 ${CORES}` },
  },
  // QEMU does not emulate the board.
  pi5: {
    virt: { ...VIRT, qemu: ARM64, args: words`-M virt -cpu cortex-a76 ${CORES}` },
  },
});

/** The clock counts the core's instructions, at most 500 million per second, and follows the real time when idle. */
const COUNTING = words`-icount shift=1`;

/** The TV's port on a card. */
const TV_PORT = 80;
/** QEMU's id of the network. */
export const NETDEV = 'net';

/** Longer command lines are silently truncated (COMMAND_LINE_SIZE of 32-bit Arm). */
const MAX_COMMAND_LINE_BYTES = 1023;

/** Lists the machines of all boards, for people. */
export const listMachines = () =>
  Object.entries(MACHINES)
    .map(([board, kinds]) => `${board}: ${Object.keys(kinds).join(', ')}`)
    .join('; ');

/**
 * Finds a machine.
 * @param {string} board armhf, armel or arm64
 * @param {string} [machine] the board's own by default
 * @returns {MachineKind & {name: string}}
 * @throws {PitvError} PITV_QEMU_UNKNOWN
 */
export function machineKind(board, machine) {
  const kinds = MACHINES[board] ?? {};
  const name = machine ?? Object.keys(kinds)[0];
  const kind = kinds[name];
  if (!kind) {
    const sentence = `There is no machine ${machine ?? ''} for the board ${board}. Machines: ${listMachines()}.`;
    throw new PitvError('PITV_QEMU_UNKNOWN', sentence);
  }
  return { name, ...kind };
}

/**
 * Adapts the card's command line to QEMU: uses the serial line as console, and disables the watchdog.
 * @param {MachineKind} kind
 * @param {string} own text of cmdline.txt
 * @param {string[]} [more]
 * @returns {string}
 * @throws {PitvError} PITV_QEMU_COMMAND_LINE
 */
export function commandLine(kind, own, more = []) {
  const line = [
    ...own
      .trim()
      .split(/\s+/)
      .filter((word) => word !== 'quiet' && !/^(loglevel|console)=/.test(word)),
    `console=${kind.console}`,
    // The emulated watchdog fires at once, regardless of its timeout (hw/misc/bcm2835_powermgt.c).
    'systemd.watchdog_device=/dev/none',
    'systemd.show_status=1',
    ...kind.append,
    ...more,
  ].join(' ');
  if (line.length <= MAX_COMMAND_LINE_BYTES) return line;
  const sentence = `The kernel's command line has ${line.length} bytes; the limit is ${MAX_COMMAND_LINE_BYTES}.`;
  throw new PitvError('PITV_QEMU_COMMAND_LINE', sentence);
}

/**
 * Returns QEMU's arguments. A USB network adapter is plugged in later, as NETDEV.
 * @param {MachineKind} kind
 * @param {object} what
 * @param {string} what.disk
 * @param {string} what.kernel or U-Boot
 * @param {string} [what.initrd]
 * @param {string} [what.tree]
 * @param {string} what.append the kernel's command line
 * @param {number} what.port of 127.0.0.1 that leads to the TV
 * @param {number} [what.qmp] file descriptor of a socket for QMP
 * @param {Pick<import('./machine.js').MachineOptions, 'network' | 'screen' | 'counting' | 'qemu'>} [options]
 * @returns {string[]}
 */
export function qemuArguments(kind, what, { network = true, screen, counting, qemu = [] } = {}) {
  const { disk, kernel, initrd, tree, append, port, qmp } = what;
  const serials = [...Array(kind.serial).fill('null'), 'stdio'];
  const net = `user,id=${NETDEV},hostfwd=tcp:127.0.0.1:${port}-:${TV_PORT}`;
  return [
    ...kind.args,
    ...(counting ? [...kind.oneCore.args, ...COUNTING] : []),
    // Keeps the board's memory away from this machine's ksmd, so that it does not change measurements here.
    ...words`-nodefaults -display none -monitor none -no-reboot -machine mem-merge=off`,
    ...serials.flatMap((each) => ['-serial', each]),
    ...words`-kernel ${kernel} ${initrd ? ['-initrd', initrd] : []} ${tree ? ['-dtb', tree] : []}
      -append ${append}
      -drive file=${disk},if=${kind.isVirtual ? 'none,id=card' : 'sd'},format=raw,cache=writeback`,
    ...(kind.isVirtual ? words`-device virtio-blk-device,drive=card` : []),
    ...(network ? ['-netdev', net] : []),
    ...(network && kind.isVirtual ? words`-device virtio-net-device,netdev=${NETDEV}` : []),
    // The GPU's driver needs version 1 of virtio.
    ...(screen
      ? words`-global virtio-mmio.force-legacy=false -device virtio-keyboard-device
          -device virtio-gpu-device,xres=${screen.width},yres=${screen.height}`
      : []),
    ...(qmp ? words`-chardev socket,id=qmp,fd=${qmp} -mon chardev=qmp,mode=control` : []),
    ...qemu,
  ];
}
