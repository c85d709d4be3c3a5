/** The task of the dispatch scenario: gives back what it gets. A module for each kind of pool. */

/** @template T @param {T} payload @returns {T} */
export default function echo(payload) {
  return payload;
}
