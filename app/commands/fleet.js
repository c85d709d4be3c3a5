/** `pitv fleet`: several TVs as one console. Each file of fleet/ is a subcommand. */
import { runSubcommand } from './common/subcommands.js';

export const summary = 'make a fleet of several TVs, show and drain its nodes';

const FLEET = Object.freeze({ name: 'fleet', folder: new URL('fleet/', import.meta.url) });

/** @param {string[]} argv */
export const run = (argv) => runSubcommand(FLEET, argv);
