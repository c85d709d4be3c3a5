/** `pitv games`: installs, makes and packs games. Each file of games/ is a subcommand. */
export const summary = 'install games of others, make a new one, pack it';
export const folder = new URL('games/', import.meta.url);
export const last = 'A running TV shows a change of its games within a second.';
