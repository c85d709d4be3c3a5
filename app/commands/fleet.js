/** `pitv fleet`: several TVs as one console. Each file of fleet/ is a subcommand. */
export const summary = 'make a fleet of several TVs, show and drain its nodes';
export const folder = new URL('fleet/', import.meta.url);
