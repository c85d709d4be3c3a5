/** Limits on native pads. */
import { rows } from './rows.js';

export const udpLimits = rows({
  udpPads: {
    bounds: 'Players with a key for datagrams',
    value: 256,
    unit: 'players',
    effect: '`PITV_UDP_FULL`',
  },
  // More than over a websocket, because networks deliver datagrams in bursts.
  udpInputs: {
    bounds: 'Datagrams of a pad in a second',
    value: 200,
    unit: 'datagrams',
    effect: 'nothing: the datagram is dropped',
  },
});
