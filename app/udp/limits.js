/** Limits of the UDP receivers. Those on pads are rows in limits/table.js. */
import { LIMITS } from '../limits/table.js';

/** UDP_RECEIVERS in app/native/udp/udp.h. */
export const RECEIVERS_MAX = 16;
/** UDP_PADS in app/native/udp/udp.h. */
export const PADS_MAX = LIMITS.udpPads.value;
export const PAD_PER_SECOND = LIMITS.udpInputs.value;
