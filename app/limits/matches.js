/** Limits on matches, their workers and the pictures of games. */
import { rows } from './rows.js';

export const matchLimits = rows({
  matchStarts: {
    bounds: 'Matches started from one address, except by the admin',
    value: { perSecond: 1 / 2, burst: 20 },
    unit: 'matches',
    option: '',
    effect: '`PITV_START_BUSY`, status 429',
  },
  emptyMatch: {
    bounds: 'Time of a match without a connected player',
    value: 60_000,
    unit: 'ms',
    option: '',
    effect: 'the end of the match, reason `empty`',
  },
  unwatchedMatch: {
    bounds: 'Time of a match without pads that no screen watches, except matches of the admin',
    value: 60_000,
    unit: 'ms',
    option: '',
    effect: 'the end of the match, reason `empty`',
  },
  previewPause: {
    bounds: 'Time until a failed picture of a game is made again',
    value: 30_000,
    unit: 'ms',
    option: '',
    effect: '`PITV_PREVIEW_FAILED`, status 503',
  },
  workerMessageBytes: {
    bounds: 'One message of a forked worker to the main process',
    value: 1024 * 1024,
    unit: 'bytes',
    option: '',
    effect: 'nothing: the worker is killed, and another one resumes the match from its checkpoint',
  },
});
