import { text as textOf } from '../lib/language.js';

/** Turns the TV's reports into the texts of the admin page's tables. */

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const TICK_HZ = 60;
/** The engine whose workers run in the main process. */
export const THREADS = 'thread';

/** @template T @typedef {import('./widgets.js').Column<T>} Column */

/**
 * @typedef {{name: string, labels: Record<string, string>, value: number}} Sample of a metric
 *
 * @typedef {keyof typeof import('../../game/frame.js').PHASE | 'starting' | 'restarting' | 'ended'} Phase of a match
 * @typedef {Pick<import('../../match/match.js').Match, 'id' | 'ticks' | 'restarts'>} MatchState
 * @typedef {MatchState & {game: string, phase: Phase, players: number, spectators: number}} MatchInfo
 */

/**
 * Lists the samples of GET /metrics.
 * @param {{name: string, values: Omit<Sample, 'name'>[]}[]} metrics its JSON @returns {Sample[]}
 */
export const samplesOf = (metrics) =>
  metrics.flatMap(({ name, values }) => values.map((value) => ({ name, ...value })));

/**
 * Adds up the samples of a metric.
 * @param {Sample[]} samples @param {string} name
 * @param {Record<string, string>} [labels] labels that a sample must have
 * @returns {number} the sum, NaN if there is no sample
 */
export function total(samples, name, labels = {}) {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? NaN : found.reduce((sum, { value }) => sum + value, 0);
}

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

/** Formats a size; a dash if it is not known. @param {number | null | undefined} bytes @returns {string} */
export function size(bytes) {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return '–';
  if (bytes >= GIB) return `${(bytes / GIB).toFixed(1)} GiB`;
  return `${(bytes / MIB).toFixed(bytes < 100 * MIB ? 1 : 0)} MiB`;
}

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
 * Returns the columns of the table of matches.
 * @param {ReadonlyMap<string, string>} titles of the games, by id
 * @returns {Column<MatchInfo>[]}
 */
export const matchColumns = (titles) => [
  [textOf('column.match'), ({ id }) => id],
  [textOf('column.game'), ({ game }) => titles.get(game) ?? game],
  [textOf('column.phase'), ({ phase }) => textOf(`phase.${phase}`)],
  [textOf('column.players'), ({ players }) => players],
  [textOf('column.screens'), ({ spectators }) => spectators],
  // The clocks of the TV and of this browser may differ.
  [textOf('column.age'), ({ ticks }) => duration(ticks / TICK_HZ)],
  [textOf('column.ticks'), ({ ticks }) => ticks],
  [textOf('column.restarts'), ({ restarts }) => restarts],
];

/**
 * @typedef {Pick<import('../../lobby/players.js').Player, 'id' | 'name' | 'connected'>} PlayerState
 * @typedef {PlayerState & {match: number | null, address: string | null}} PlayerInfo
 */

/** @type {Column<PlayerInfo>[]} */
export const PLAYER_COLUMNS = [
  [textOf('column.name'), ({ name }) => name],
  [textOf('column.player'), ({ id }) => id],
  [textOf('column.match'), ({ match }) => match ?? '–'],
  [textOf('column.phone'), ({ connected }) => textOf(connected ? 'phone.connected' : 'phone.away')],
  [textOf('column.address'), ({ address }) => address ?? '–'],
];

/** Returns the samples of which each stands for a worker. @param {Sample[]} samples */
export const workersOf = (samples) => samples.filter(({ name }) => name === 'pitv_worker_ticks');

/**
 * Returns the columns of the table of workers.
 * @param {Sample[]} samples
 * @param {ReadonlyMap<string, string>} titles of the games, by id
 * @param {boolean} [inMain] the workers are threads, whose memory is part of the main process's
 * @returns {Column<Sample>[]}
 */
export function workerColumns(samples, titles, inMain = false) {
  /** @param {string} name of a metric @param {Record<string, string>} labels */
  const of = (name, labels) => total(samples, `pitv_${name}`, labels);
  /** @param {number} bytes */
  const memory = (bytes) => (inMain ? textOf('memory.inMain') : size(bytes));
  return [
    [textOf('column.worker'), ({ labels }) => labels.worker],
    [textOf('column.game'), ({ labels }) => titles.get(labels.game) ?? labels.game],
    ['pid', ({ labels }) => labels.pid],
    [
      textOf('column.unreclaimable'),
      ({ labels: { pid } }) => memory(of('process_unreclaimable_bytes', { pid })),
    ],
    ['PSS', ({ labels }) => memory(of('worker_pss_bytes', labels))],
    ['CPU', ({ labels }) => figure(of('worker_cpu_percent', labels), 1, '%')],
    [textOf('column.ticks'), ({ value }) => value],
    [textOf('column.lateTicks'), ({ labels }) => of('worker_late_ticks', labels)],
    [
      textOf('column.lastStep'),
      ({ labels }) => figure(of('worker_step_seconds', labels) * 1000, 2, 'ms'),
    ],
  ];
}

/**
 * Returns the figures at the top of the page.
 * @param {{uptimeS: number}} health
 * @param {Sample[]} samples
 * @returns {[value: string, text: string][]}
 */
export function tiles(health, samples) {
  const loop = total(samples, 'pitv_event_loop_delay_seconds', { quantile: '0.99' });
  const skipped = total(samples, 'pitv_frames_skipped_total');
  const sent = total(samples, 'pitv_frames_sent_total');
  return [
    [duration(health.uptimeS), textOf('tile.up')],
    [figure(loop * 1000, 1, 'ms'), textOf('tile.loop')],
    [size(total(samples, 'pitv_process_unreclaimable_bytes')), textOf('tile.unreclaimable')],
    [size(total(samples, 'pitv_process_pss_bytes')), textOf('tile.pss')],
    [String(total(samples, 'pitv_clients', { role: 'screen' }) || 0), textOf('tile.screens')],
    [String(total(samples, 'pitv_clients', { role: 'pad' }) || 0), textOf('tile.pads')],
    [figure((100 * skipped) / (sent + skipped), 2, '%'), textOf('tile.skipped')],
    [String(total(samples, 'pitv_restarts_total') || 0), textOf('tile.restarted')],
  ];
}
