/** Finds conditions of this machine that distort measurements, and advises how to change them. */
import { alignColumns } from '../../ksm/table.js';

/**
 * @typedef {object} Finding
 * @property {'ok' | 'warning' | 'unknown'} verdict
 * @property {string} about @property {string} says
 * @property {string} [advice] what to do
 *
 * @typedef {ReturnType<typeof import('./facts.js').machineFacts>} Machine
 * @typedef {ReturnType<typeof import('./facts.js').passingFacts>} Passing
 */

/** Above this load average, another program uses a noticeable share of a core. */
const LOAD = 0.3;
/** Degrees Celsius. A Pi throttles from 80 degrees (a Pi 3B+ from 60, its soft limit). */
const HOT = 70;
/** Bits of get_throttled that are currently set. Shifted by 16: set at any time since the start. */
const THROTTLED = ['under-voltage', 'frequency capped', 'throttled', 'soft temperature limit'];

/** @param {string} about @param {string} says @returns {Finding} */
const ok = (about, says) => ({ verdict: 'ok', about, says });
/** @param {string} about @param {string} says @returns {Finding} */
const unknown = (about, says) => ({ verdict: 'unknown', about, says });
/** @param {string} about @param {string} says @param {string} advice @returns {Finding} */
const warning = (about, says, advice) => ({ verdict: 'warning', about, says, advice });

/** Checks one condition each. @type {((machine: Machine, now: Passing) => Finding)[]} */
const CHECKS = [
  ({ governor }) => {
    if (governor === null) return unknown('governor', 'this kernel does not report it');
    if (governor === 'performance') return ok('governor', governor);
    return warning(
      'governor',
      `${governor}: the clock follows the load`,
      'echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor',
    );
  },
  (_, { throttled }) => {
    if (throttled === null) return unknown('throttling', 'not reported (only a Pi does)');
    const bits = (/** @type {number} */ by) =>
      THROTTLED.filter((_, bit) => (throttled >> (bit + by)) & 1);
    const now = bits(0);
    const before = bits(16);
    if (now.length + before.length === 0) return ok('throttling', 'none since the start');
    const says = now.length > 0 ? `now: ${now.join(', ')}` : `earlier: ${before.join(', ')}`;
    return warning(
      'throttling',
      says,
      'Use a stronger power supply and better cooling, then restart.',
    );
  },
  (_, { temperature }) => {
    if (temperature === null) return unknown('temperature', 'no sensor');
    if (temperature < HOT) return ok('temperature', `${temperature.toFixed(0)} °C`);
    return warning(
      'temperature',
      `${temperature.toFixed(0)} °C`,
      'Wait until it has cooled down, or improve the cooling.',
    );
  },
  (_, { load }) => {
    if (load < LOAD) return ok('other load', `load average ${load}`);
    return warning(
      'other load',
      `load average ${load}: another program is running, or was a minute ago`,
      'End it (`top` shows it), then wait a minute.',
    );
  },
  ({ hugePages }) => {
    if (hugePages === null) return ok('huge pages', 'not in this kernel');
    if (hugePages !== 'always') return ok('huge pages', hugePages);
    return warning(
      'huge pages',
      'always: memory is allocated in pages of 2 MB, so PSS varies randomly',
      'echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled',
    );
  },
  (_, { swapUsedKib }) => {
    if (swapUsedKib === 0) return ok('swap', 'not in use');
    return warning(
      'swap',
      `${Math.round(swapUsedKib / 1024)} MB in use: PSS does not include swapped pages`,
      'sudo swapoff -a, during the measurement',
    );
  },
  ({ pageout }) => {
    if (!pageout) return ok('reclaim', 'only when memory is short');
    return warning(
      'reclaim',
      'DAMON reclaims memory that was not used for a while, so the PSS of programs and libraries varies',
      'echo off | sudo tee /sys/kernel/mm/damon/admin/kdamonds/*/state',
    );
  },
  ({ aslr }) => {
    if (aslr === 2) return ok('ASLR', 'on');
    return warning(
      'ASLR',
      `randomize_va_space is ${aslr}: processes have more equal pages, so KSM saves more than usual`,
      'sudo sysctl kernel.randomize_va_space=2, unless that is what you measure',
    );
  },
  ({ pageSize }) => {
    if (pageSize === null) return unknown('page size', 'this kernel does not report it');
    if (pageSize === 4096) return ok('page size', '4 KiB');
    return warning(
      'page size',
      `${pageSize / 1024} KiB: memory figures are larger, and KSM saves less`,
      'On a Pi 5, kernel=kernel8.img in config.txt gives pages of 4 KiB.',
    );
  },
  ({ ksm }) => {
    if (ksm === null) return unknown('KSM', 'not in this kernel; the scenario ksm is skipped');
    if (ksm.run === 0) return ok('KSM', 'available and off');
    return warning(
      'KSM',
      'already running: it merges pages and uses CPU time',
      'sudo pitv ksm off',
    );
  },
  ({ virtual }) => {
    if (virtual === null) return ok('machine', 'probably not virtual');
    return warning(
      'machine',
      `virtual (${virtual}): times are not those of a board`,
      'Only compare variants with each other; measure times on the device.',
    );
  },
  ({ cores }) => {
    if (cores > 1) return ok('cores', String(cores));
    return warning(
      'cores',
      '1: the harness shares it with the measured processes',
      'Use CPU times rather than elapsed times.',
    );
  },
  ({ nodeFlags }) => {
    if (nodeFlags === '') return ok('Node flags', 'none');
    return warning('Node flags', nodeFlags, 'unset NODE_OPTIONS');
  },
];

/** Runs all checks. @param {Machine} machine @param {Passing} now @returns {Finding[]} */
export function examine(machine, now) {
  return CHECKS.map((check) => check(machine, now));
}

const MARKS = { ok: ' ok ', warning: 'WARN', unknown: ' ?  ' };

/** Formats findings for a terminal. @param {Finding[]} findings @returns {string} */
export function formatFindings(findings) {
  const lines = alignColumns(
    findings.flatMap(({ verdict, about, says, advice }) => [
      [`  ${MARKS[verdict]}`, about, says],
      ...(advice ? [['', '', `-> ${advice}`]] : []),
    ]),
  );
  const bad = findings.filter(({ verdict }) => verdict === 'warning').length;
  const end =
    bad === 0
      ? 'No condition distorts measurements.'
      : `${bad} of ${findings.length} conditions may distort measurements.`;
  return [...lines, '', `  ${end}`, ''].join('\n');
}
