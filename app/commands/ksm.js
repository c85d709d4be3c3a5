/** `pitv ksm ...`: runs the command of @pitv/ksm, which parses its own options. */
import { HELP, main } from '../../ksm/cli.js';
import { helpText } from '../language/index.js';

export const summary = "show and control the kernel's memory merging (KSM): `pitv ksm status`";

/** @param {string[]} argv */
export const run = (argv) => main(argv, { help: helpText('ksm', HELP) });
