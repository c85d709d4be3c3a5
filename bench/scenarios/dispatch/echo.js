/** The task of the dispatch scenario: returns its payload. Several pools load this module. */

/** @template T @param {T} payload @returns {T} */
export default function echo(payload) {
  return payload;
}
