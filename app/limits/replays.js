/** Limits on replays. */
import { rows } from './rows.js';

export const replayLimits = rows({
  replaySeconds: {
    bounds: 'Time of a match that is kept for replays',
    value: 20,
    unit: 'seconds',
    effect: 'a replay begins later',
  },
  replayBytes: {
    bounds: 'Memory for the replay of a match',
    value: 384 * 1024,
    unit: 'bytes',
    effect: 'a replay begins later; there is none of a match with more than 3,400 bodies',
  },
  allReplayBytes: {
    bounds: 'Memory for the replays of all matches',
    value: 3 * 1024 * 1024,
    unit: 'bytes',
    effect: 'the replay of the match with the most begins later',
  },
  replayKept: {
    bounds: 'Time for which the replay of a match is kept after its end',
    value: 120_000,
    unit: 'ms',
    effect: '`PITV_MATCH_UNKNOWN`, status 404',
  },
  replayDownloads: {
    bounds: 'Downloads of replays at the same time',
    value: 32,
    unit: 'downloads',
    effect: '`PITV_REPLAY_BUSY`, status 503',
  },
  replayDownloadsPerAddress: {
    bounds: 'Of these, of one address',
    value: 8,
    unit: 'downloads',
    effect: '`PITV_REPLAY_BUSY`, status 503',
  },
});
