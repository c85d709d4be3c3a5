/** What becomes of a datagram; enum udp_outcome of app/native/udp/udp.h, in the same order. */
export const OUTCOMES = Object.freeze(
  /** @type {const} */ ([
    'accepted',
    'size', // not 32 bytes
    'format', // another protocol, or another version
    'stranger', // no such pad
    'mac', // not signed with the pad's key
    'replay', // the newest one once more
    'old', // overtaken by a newer one
    'rate', // more than the pad may send
    'seat', // the pad does not sit at that match and slot
  ]),
);

/** @typedef {(typeof OUTCOMES)[number]} Outcome */

/** Their numbers. */
export const OUTCOME = Object.freeze(
  /** @type {Record<Outcome, number>} */ (
    Object.fromEntries(OUTCOMES.map((name, number) => [name, number]))
  ),
);
