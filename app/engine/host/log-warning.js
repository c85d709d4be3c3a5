/** Logs the warnings of a job. What they contain comes from the worker, and may be anything. */
import { visibleText } from '../../errors/visible-text.js';

const MAX_CHARS = 1000;
const MAX_WARNINGS = 100;

/**
 * Creates a function that logs the warnings of one worker, up to a number of them.
 * @param {import('./options.js').EngineOptions['log']} log without it, warnings go to stderr
 * @param {string} name of the worker
 * @param {(sentence: string) => void} [onWarning] is called with each of them
 * @returns {(text: unknown) => void}
 */
export function createWarningLog(log, name, onWarning) {
  let count = 0;
  return (text) => {
    if (++count > MAX_WARNINGS) return;
    const known =
      typeof text === 'string' ? visibleText(text.slice(0, MAX_CHARS)) : 'A warning is not a text.';
    const sentence = count < MAX_WARNINGS ? known : `${known} Further warnings are not logged.`;
    if (log) log.warn({ name }, sentence);
    else process.emitWarning(`${name}: ${sentence}`);
    onWarning?.(sentence);
  };
}
