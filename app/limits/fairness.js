/**
 * Returns the items of the client that has the most of them, in their order. Items to discard are chosen from these, so
 * that a client with many items loses its own first.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => unknown} clientOf
 * @returns {T[]} empty when there are no items
 */
export function mostFrequent(items, clientOf) {
  /** @type {Map<unknown, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const client = clientOf(item);
    const group = groups.get(client);
    if (group) group.push(item);
    else groups.set(client, [item]);
  }
  return [...groups.values()].reduce(
    (most, group) => (group.length > most.length ? group : most),
    [],
  );
}
