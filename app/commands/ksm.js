/** `pitv ksm ...`: runs the command of @pitv/ksm, which parses its own options. */
import { main } from '../../ksm/cli.js';

export const summary = "show and control the kernel's memory merging (KSM): `pitv ksm status`";

/** @param {string[]} argv */
export const run = (argv) => main(argv);
