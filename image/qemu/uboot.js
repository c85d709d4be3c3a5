/** Lets QEMU start U-Boot on a 32-bit Arm board. */
import { readFile, writeFile } from 'node:fs/promises';
import { run } from '../sd/shell.js';

/** Where QEMU loads what it takes for a 32-bit kernel (KERNEL_LOAD_ADDR in hw/arm/boot.c). */
const LOADED_AT = 0x10000;
/** Where the board's firmware loads U-Boot (CONFIG_TEXT_BASE). */
const UBOOT_AT = 0x8000;
const WORD = 4;

/**
 * Changes a program so that it copies itself to a lower address, and starts there. The code that copies is behind it:
 * the copy ends before it. Registers 0 to 2, in which the firmware passes the device tree, are kept.
 * @param {Buffer} program @param {number} address below 0x10000
 * @returns {Buffer} for QEMU's -kernel
 */
function withMover(program, address) {
  const length = Math.ceil(program.length / WORD) * WORD;
  const mover = [
    0xe59f4018, // ldr r4, [pc, #24]     from
    0xe59f5018, // ldr r5, [pc, #24]     to
    0xe59f6018, // ldr r6, [pc, #24]     end of from
    0xe4947004, // loop: ldr r7, [r4], #4
    0xe4857004, // str r7, [r5], #4
    0xe1540006, // cmp r4, r6
    0x3afffffb, // blo loop
    0xe59ff000, // ldr pc, [pc]          to
    LOADED_AT + WORD,
    address,
    LOADED_AT + WORD + length,
  ];
  const words = Buffer.alloc((1 + mover.length) * WORD + length);
  program.copy(words, WORD);
  // The offset of a branch counts words from the second instruction after it.
  words.writeUInt32LE(0xea000000 + length / WORD - 1, 0); // b mover
  mover.forEach((word, i) => words.writeUInt32LE(word, (1 + i) * WORD + length));
  return words;
}

/**
 * Changes U-Boot and its device tree. U-Boot's driver of the card reader asks the firmware for a clock that QEMU does
 * not know (tag 0x38042), and divides by it; so the tree has the chip's other card reader instead. Linux has its own
 * tree.
 * @param {string} program path of U-Boot @param {string} tree path of the device tree
 */
export async function adaptUboot(program, tree) {
  await writeFile(program, withMover(await readFile(program), UBOOT_AT));
  const [used, other] = ['/soc/mmc@7e202000', '/soc/mmc@7e300000'];
  const pins = await run('fdtget', ['-t', 'x', tree, '/soc/gpio@7e200000/emmc-gpio48', 'phandle']);
  for (const [type, ...setting] of [
    ['s', used, 'status', 'disabled'],
    ['s', other, 'status', 'okay'],
    ['s', other, 'pinctrl-names', 'default'],
    ['x', other, 'pinctrl-0', pins.trim()],
    ['i', other, 'bus-width', '4'],
  ])
    await run('fdtput', ['-t', type, tree, ...setting]);
}
