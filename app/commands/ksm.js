/** `pitv ksm ...`: hands over to the package, which parses its own options. */
import { main } from '../../ksm/cli.js';

export const summary = 'memory merging: `pitv ksm status`, and the control of ksmd';

/** @param {string[]} argv */
export const run = (argv) => main(argv);
