/** Limits on what workers send to the main process. */
import { limit, rate } from './rows.js';

export const workerLimits = Object.freeze({
  workerMessageBytes: limit(1024 * 1024, 'bytes', {
    bounds: 'One message of a child of `pitv/zygote` or `pitv/pool` to the main process',
    effect: 'nothing: the child is killed',
  }),
  workerReportBytes: limit(256 * 1024, 'bytes', {
    bounds: 'One report of a worker of a match: an error, a warning, the description of a game',
    effect: 'nothing: the worker is killed, and another one resumes the match from its checkpoint',
  }),
  workerReportRate: rate(16 * 1024, 512 * 1024, 'bytes', {
    bounds: 'All reports of a worker of a match',
    effect: '`PITV_WORKER_REPORTS`: the same',
  }),
  workerReports: rate(100, 300, 'reports', {
    bounds: 'The same, and how often the main process may have to read them',
    effect: '`PITV_WORKER_REPORTS`: the same',
  }),
});
