/** Explores what may happen to a model, from a state to all that follow. Equal states are explored once. */

/**
 * Copies objects with all that they refer to. What is frozen is shared.
 * @template T @param {T} value @param {Map<any, any>} [seen]
 * @returns {T}
 */
export function copy(value, seen = new Map()) {
  const from = /** @type {any} */ (value);
  if (typeof from !== 'object' || from === null) return value;
  if (from instanceof Uint8Array || Object.isFrozen(from)) return value;
  const known = seen.get(from);
  if (known) return known;
  /** @type {any} */
  let to;
  if (from instanceof Set) return /** @type {any} */ (new Set(from));
  if (from instanceof Map) {
    to = new Map();
    seen.set(from, to);
    for (const [key, each] of from) to.set(key, copy(each, seen));
    return to;
  }
  to = Array.isArray(from) ? [] : Object.create(Object.getPrototypeOf(from));
  seen.set(from, to);
  for (const key of Object.keys(from)) to[key] = copy(from[key], seen);
  return to;
}

/**
 * Explores all sequences of events.
 * @param {import('./model.js').World} start
 * @param {{events: number, failures: number}} most how many events, and how many of them begin a failure
 * @returns {number} how many different states there are @throws {Error} what is wrong, and after which events
 */
export function explore(start, { events, failures }) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // the classes throw often
  /** Fewest failures on the way to a state. @type {Map<string, number>} */
  const seen = new Map();
  let worlds = [{ world: start, failed: 0 }];
  try {
    for (let i = 0; i < events; i++) {
      const next = [];
      for (const { world, failed } of worlds) {
        for (const event of world.events) {
          const count = failed + world.failuresIn(event, failures);
          if (count > failures) continue;
          const after = world.copy();
          after.step(event);
          const { key } = after;
          if ((seen.get(key) ?? Infinity) <= count) continue;
          seen.set(key, count);
          after.copy().settle();
          next.push({ world: after, failed: count });
        }
      }
      worlds = next;
    }
    return seen.size;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
