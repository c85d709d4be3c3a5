/** Outcomes of the checks of a datagram, in the order of enum udp_outcome in app/native/udp/udp.h. */
export const OUTCOMES = Object.freeze(
  /** @type {const} */ ([
    'accepted',
    'size', // not 32 bytes
    'format', // another protocol, or another version
    'stranger', // no such pad
    'mac', // not signed with the pad's key
    'replay', // the sequence number of the newest datagram again
    'old', // a lower sequence number than that of the newest datagram
    'rate', // over the pad's rate limit
    'seat', // the pad does not sit at that match and slot
  ]),
);

/** @typedef {(typeof OUTCOMES)[number]} Outcome */
