import { total } from '../lib/prometheus.js';

/** From what the TV reports to what the admin's tables say. */

const MIB = 1024 * 1024;
/** The engine whose workers live in the main process. */
export const THREADS = 'thread';

/**
 * @typedef {import('../lib/prometheus.js').Sample} Sample
 * @typedef {object} MatchInfo
 * @property {string | number} id
 * @property {string} game
 * @property {string} phase
 * @property {number} players
 * @property {number} spectators
 * @property {number} startedAt ms since 1970
 * @property {number} ticks
 * @property {number} restarts
 */

export const MATCH_COLUMNS = Object.freeze([
  'Match',
  'Game',
  'Phase',
  'Players',
  'Screens',
  'Age',
  'Ticks',
  'Restarts',
]);
export const PLAYER_COLUMNS = Object.freeze(['Player', 'Name', 'Match', 'Phone', 'Address']);
export const WORKER_COLUMNS = Object.freeze([
  'Worker',
  'Game',
  'pid',
  'PSS',
  'USS',
  'CPU',
  'Ticks',
  'Late ticks',
  'Last step',
]);

/** @param {number} seconds @returns {string} 45 s, 3 min, 2 h 5 min, 3 d 4 h */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  if (whole < 60) return `${whole} s`;
  if (minutes < 60) return `${minutes} min`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** @param {number} bytes @returns {string} in MiB; a dash where it is not known */
const mib = (bytes) => (bytes > 0 ? `${(bytes / MIB).toFixed(1)} MiB` : '–');
/** @param {number} value @param {number} digits @param {string} unit */
const figure = (value, digits, unit) =>
  Number.isFinite(value) ? `${value.toFixed(digits)} ${unit}` : '–';

/**
 * @param {MatchInfo[]} matches @param {number} nowMs
 * @returns {string[][]}
 */
export function matchRows(matches, nowMs) {
  return matches.map((match) => [
    String(match.id),
    match.game,
    match.phase,
    String(match.players),
    String(match.spectators),
    duration((nowMs - match.startedAt) / 1000),
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
 * @param {PlayerInfo[]} players
 * @returns {string[][]}
 */
export function playerRows(players) {
  return players.map(({ id, name, match, connected, address }) => [
    String(id),
    name,
    match === null ? '–' : String(match),
    connected ? 'connected' : 'away',
    address ?? '–',
  ]);
}

/**
 * @param {Sample[]} samples
 * @param {boolean} [inMain] the workers are threads: they have no memory of their own to count
 * @returns {string[][]}
 */
export function workerRows(samples, inMain = false) {
  const workers = samples.filter(({ name }) => name === 'pitv_worker_ticks');
  return workers.map(({ labels, value }) => {
    /** @param {string} name */
    const of = (name) => total(samples, `pitv_worker_${name}`, labels);
    return [
      labels.worker ?? '',
      labels.game ?? '',
      labels.pid ?? '',
      inMain ? 'in main' : mib(of('pss_bytes')),
      inMain ? 'in main' : mib(of('uss_bytes')),
      figure(of('cpu_percent'), 1, '%'),
      String(value),
      String(of('late_ticks')),
      figure(of('step_seconds') * 1000, 2, 'ms'),
    ];
  });
}

/**
 * @param {{uptimeS: number, engine?: string}} health
 * @param {Sample[]} samples
 * @returns {{value: string, text: string}[]}
 */
export function tiles(health, samples) {
  const inMain = health.engine === THREADS;
  const workers = inMain ? NaN : total(samples, 'pitv_worker_pss_bytes');
  const loop = total(samples, 'pitv_event_loop_delay_seconds', { quantile: '0.99' });
  const skipped = total(samples, 'pitv_frames_skipped_total');
  const sent = total(samples, 'pitv_frames_sent_total');
  return [
    { value: duration(health.uptimeS), text: 'up' },
    { value: figure(loop * 1000, 1, 'ms'), text: 'event loop, p99' },
    {
      value: mib(total(samples, 'pitv_main_pss_bytes')),
      text: inMain ? 'PSS, workers and all' : 'PSS of the main process',
    },
    { value: mib(workers), text: 'PSS of the workers' },
    { value: String(total(samples, 'pitv_clients', { role: 'screen' }) || 0), text: 'screens' },
    { value: String(total(samples, 'pitv_clients', { role: 'pad' }) || 0), text: 'pads' },
    { value: figure((100 * skipped) / (sent + skipped), 2, '%'), text: 'frames skipped' },
    { value: String(total(samples, 'pitv_restarts_total') || 0), text: 'workers restarted' },
  ];
}
