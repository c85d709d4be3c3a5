/** Limits on matches, their workers and the pictures of games. */
import { rows } from './rows.js';

export const matchLimits = rows({
  matchStarts: {
    bounds: 'Matches started from one address, except by the admin',
    value: { perSecond: 1 / 2, burst: 20 },
    unit: 'matches',
    effect: '`PITV_START_BUSY`, status 429',
  },
  emptyMatch: {
    bounds: 'Time of a match without a connected player',
    value: 60_000,
    unit: 'ms',
    effect: 'the end of the match, reason `empty`',
  },
  matchPause: {
    bounds: 'Time of a pause',
    value: 120_000,
    unit: 'ms',
    effect: 'the match goes on',
  },
  pauses: {
    bounds: 'Pauses by the players at one address',
    value: { perSecond: 1 / 30, burst: 5 },
    unit: 'pauses',
    effect: '`PITV_PAUSE_BUSY`, status 429',
  },
  screenPauses: {
    bounds: 'Pauses of one match by all screens that may not stop it',
    value: { perSecond: 1 / 300, burst: 2 },
    unit: 'pauses',
    effect: '`PITV_PAUSE_BUSY`, status 429',
  },
  unwatchedMatch: {
    bounds: 'Time of a match without pads that no screen watches, except matches of the admin',
    value: 60_000,
    unit: 'ms',
    effect: 'the end of the match, reason `empty`',
  },
  previewPause: {
    bounds: 'Time until a failed picture of a game is made again',
    value: 30_000,
    unit: 'ms',
    effect: '`PITV_PREVIEW_FAILED`, status 503',
  },
  workerMessageBytes: {
    bounds: 'One message of a child of `pitv/zygote` or `pitv/pool` to the main process',
    value: 1024 * 1024,
    unit: 'bytes',
    effect: 'nothing: the child is killed',
  },
  workerReportBytes: {
    bounds: 'One report of a worker of a match: an error, a warning, the description of a game',
    value: 256 * 1024,
    unit: 'bytes',
    effect: 'nothing: the worker is killed, and another one resumes the match from its checkpoint',
  },
  workerReportRate: {
    bounds: 'All reports of a worker of a match',
    value: { perSecond: 16 * 1024, burst: 512 * 1024 },
    unit: 'bytes',
    effect: '`PITV_WORKER_REPORTS`: the same',
  },
  workerReports: {
    bounds: 'The same, and how often the main process may have to read them',
    value: { perSecond: 100, burst: 300 },
    unit: 'reports',
    effect: '`PITV_WORKER_REPORTS`: the same',
  },
});
