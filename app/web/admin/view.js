import { text as textOf } from '../lib/language.js';
import { total } from '../lib/prometheus.js';

/** Turns the TV's reports into the texts of the admin page's tables. */

const MIB = 1024 * 1024;
const TICK_HZ = 60;
/** The engine whose workers run in the main process. */
export const THREADS = 'thread';

/**
 * @typedef {import('../lib/prometheus.js').Sample} Sample
 * @typedef {object} MatchInfo
 * @property {string | number} id
 * @property {string} game
 * @property {string} phase
 * @property {number} players
 * @property {number} spectators
 * @property {number} ticks
 * @property {number} restarts
 */

export const MATCH_COLUMNS = Object.freeze([
  textOf('column.match'),
  textOf('column.game'),
  textOf('column.phase'),
  textOf('column.players'),
  textOf('column.screens'),
  textOf('column.age'),
  textOf('column.ticks'),
  textOf('column.restarts'),
]);
export const PLAYER_COLUMNS = Object.freeze([
  textOf('column.player'),
  textOf('column.name'),
  textOf('column.match'),
  textOf('column.phone'),
  textOf('column.address'),
]);
export const WORKER_COLUMNS = Object.freeze([
  textOf('column.worker'),
  textOf('column.game'),
  'pid',
  textOf('column.unreclaimable'),
  'PSS',
  'CPU',
  textOf('column.ticks'),
  textOf('column.lateTicks'),
  textOf('column.lastStep'),
]);

/** Formats a duration. @param {number} seconds @returns {string} 45 s, 3 min, 2 h 5 min, 3 d 4 h */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  if (whole < 60) return textOf('duration.seconds', { seconds: whole });
  if (minutes < 60) return textOf('duration.minutes', { minutes });
  if (hours < 24) return textOf('duration.hours', { hours, minutes: minutes % 60 });
  return textOf('duration.days', { days: Math.floor(hours / 24), hours: hours % 24 });
}

/** Formats a size in MiB; a dash if it is not known. @param {number} bytes */
const mib = (bytes) => (bytes > 0 ? `${(bytes / MIB).toFixed(1)} MiB` : '–');
/** Formats a number; a dash if it is not known. @param {number} value @param {number} digits @param {string} unit */
const figure = (value, digits, unit) =>
  Number.isFinite(value) ? `${value.toFixed(digits)} ${unit}` : '–';

/** Formats a size in kB. @param {number} bytes */
export const kilobytes = (bytes) => `${(bytes / 1e3).toFixed(1)} kB`;

/**
 * Formats the mean duration of the last steps of a game's matches; a dash if none runs.
 * @param {Sample[]} samples @param {string} game
 */
export function stepText(samples, game) {
  const steps = samples.filter(
    ({ name, labels }) => name === 'pitv_worker_step_seconds' && labels.game === game,
  );
  const seconds = steps.reduce((sum, { value }) => sum + value, 0) / steps.length;
  return figure(seconds * 1000, 2, 'ms');
}

/**
 * Returns the rows of the table of matches.
 * @param {MatchInfo[]} matches
 * @param {ReadonlyMap<string, string>} titles of the games, by id
 * @returns {string[][]}
 */
export function matchRows(matches, titles) {
  return matches.map((match) => [
    String(match.id),
    titles.get(match.game) ?? match.game,
    match.phase,
    String(match.players),
    String(match.spectators),
    duration(match.ticks / TICK_HZ), // the clocks of the TV and of this browser may differ
    String(match.ticks),
    String(match.restarts),
  ]);
}

/**
 * @typedef {object} PlayerInfo
 * @property {number} id @property {string} name
 * @property {boolean} connected
 * @property {number | null} match
 * @property {string | null} address null: not known
 *
 * Returns the rows of the table of players.
 * @param {PlayerInfo[]} players
 * @returns {string[][]}
 */
export function playerRows(players) {
  return players.map(({ id, name, match, connected, address }) => [
    String(id),
    name,
    match === null ? '–' : String(match),
    textOf(connected ? 'phone.connected' : 'phone.away'),
    address ?? '–',
  ]);
}

/**
 * Returns the rows of the table of workers.
 * @param {Sample[]} samples
 * @param {ReadonlyMap<string, string>} titles of the games, by id
 * @param {boolean} [inMain] the workers are threads, whose memory is part of the main process's
 * @returns {string[][]}
 */
export function workerRows(samples, titles, inMain = false) {
  const workers = samples.filter(({ name }) => name === 'pitv_worker_ticks');
  return workers.map(({ labels, value }) => {
    /** @param {string} name */
    const of = (name) => total(samples, `pitv_worker_${name}`, labels);
    const { pid } = labels;
    const unreclaimable = total(samples, 'pitv_process_unreclaimable_bytes', { pid });
    return [
      labels.worker ?? '',
      titles.get(labels.game) ?? labels.game ?? '',
      pid ?? '',
      inMain ? textOf('memory.inMain') : mib(unreclaimable),
      inMain ? textOf('memory.inMain') : mib(of('pss_bytes')),
      figure(of('cpu_percent'), 1, '%'),
      String(value),
      String(of('late_ticks')),
      figure(of('step_seconds') * 1000, 2, 'ms'),
    ];
  });
}

/**
 * Returns the figures at the top of the page.
 * @param {{uptimeS: number}} health
 * @param {Sample[]} samples
 * @returns {{value: string, text: string}[]}
 */
export function tiles(health, samples) {
  const loop = total(samples, 'pitv_event_loop_delay_seconds', { quantile: '0.99' });
  const skipped = total(samples, 'pitv_frames_skipped_total');
  const sent = total(samples, 'pitv_frames_sent_total');
  return [
    { value: duration(health.uptimeS), text: textOf('tile.up') },
    { value: figure(loop * 1000, 1, 'ms'), text: textOf('tile.loop') },
    {
      value: mib(total(samples, 'pitv_process_unreclaimable_bytes')),
      text: textOf('tile.unreclaimable'),
    },
    { value: mib(total(samples, 'pitv_process_pss_bytes')), text: textOf('tile.pss') },
    {
      value: String(total(samples, 'pitv_clients', { role: 'screen' }) || 0),
      text: textOf('tile.screens'),
    },
    {
      value: String(total(samples, 'pitv_clients', { role: 'pad' }) || 0),
      text: textOf('tile.pads'),
    },
    { value: figure((100 * skipped) / (sent + skipped), 2, '%'), text: textOf('tile.skipped') },
    { value: String(total(samples, 'pitv_restarts_total') || 0), text: textOf('tile.restarted') },
  ];
}
