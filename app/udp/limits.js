/** At most so many receivers, and pads with a key; UDP_RECEIVERS and UDP_PADS of app/engine/native/udp.h. */
export const RECEIVERS_MAX = 16;
export const PADS_MAX = 256;

/**
 * What a pad may send, datagrams a second: as often as over a websocket and some more, for what the
 * network delivers in a bunch.
 */
export const PAD_PER_SECOND = 200;
