/** Waits for the game that comes with pitv, which a TV installs and reads after its start. */
import { until } from './tv.js';

const TIMEOUT_MS = 60_000;
/** What the log says when the game has been read, or cannot be installed. */
export const SETTLED =
  /"game":"kick-off".*"an installed game|"nothing can be saved in|"no games can be installed"|"a game of pitv cannot be installed"/;

/**
 * Waits until the list of games no longer changes, and no process reads a game.
 * @param {() => string} log returns the log of `pitv serve` so far
 */
export const gamesSettle = (log) =>
  until(() => SETTLED.test(log()), 'the game that comes with pitv', TIMEOUT_MS);
