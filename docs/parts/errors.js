/** The table of error codes in operations.md. */
import { ERRORS } from '../../app/errors/table.js';
import { markdownTable } from '../../bench/report/markdown.js';
import { KSM_ERRORS } from '../../ksm/errors.js';

/** @typedef {import('../../app/errors/table.js').ErrorRow} ErrorRow */

/**
 * Formats the error codes as a Markdown table.
 * @returns {string}
 */
export function errors() {
  /** @type {[string, ErrorRow][]} */
  const rows = Object.entries({ ...ERRORS, ...KSM_ERRORS });
  return markdownTable(
    ['Code', 'What was wrong', 'What to do', 'HTTP status or exit code'],
    rows.map(([code, { problem, remedy, status, exit }]) => {
      const number = status ? String(status) : exit ? `exit code ${exit}` : '';
      return [`\`${code}\``, problem, remedy, number];
    }),
  );
}
