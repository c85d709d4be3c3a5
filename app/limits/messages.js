/** Limits on the messages of a websocket. */
import { rows } from './rows.js';

export const messageLimits = rows({
  hellos: {
    bounds:
      'First messages of the websockets of one address, plus `--max-clients-per-address` at once',
    value: { perSecond: 10, burst: 60 },
    unit: 'messages',
    effect: 'close code 1008',
  },
  helloMs: {
    bounds: 'Time for the first message of a websocket',
    value: 5000,
    unit: 'ms',
    effect: 'close code 4001',
  },
  helloAgainMs: {
    bounds: 'Time for another first message after a wrong code',
    value: 120_000,
    unit: 'ms',
    effect: 'close code 4001',
  },
  deadMs: {
    bounds: 'Time without any message from a websocket client',
    value: 15_000,
    unit: 'ms',
    effect: 'the end of the connection',
  },
  textBacklogBytes: {
    bounds: 'Unsent bytes of a websocket before it is closed',
    value: 1024 * 1024,
    unit: 'bytes',
    effect: 'the end of the connection',
  },
  messageBytes: {
    bounds: 'One websocket message',
    value: 4096,
    unit: 'bytes',
    effect: 'close code 1009',
  },
  messageFragments: {
    bounds: 'Frames of one websocket message',
    value: 16,
    unit: 'frames',
    effect: 'close code 1008',
  },
  messageChunks: {
    bounds: 'Pieces in which one websocket frame arrives',
    value: 256,
    unit: 'pieces',
    effect: 'close code 1008',
  },
  controls: {
    bounds: 'Pings and pongs of a connection',
    value: { perSecond: 20, burst: 50 },
    unit: 'frames',
    effect: 'close code 1008',
  },
  texts: {
    bounds: 'JSON messages of a connection',
    value: { perSecond: 10, burst: 30 },
    unit: 'messages',
    effect: 'nothing: the message is dropped',
  },
  inputs: {
    bounds: 'Inputs of a pad',
    value: { perSecond: 130, burst: 60 },
    unit: 'messages',
    effect: 'nothing: the newest input is used',
  },
  dropped: {
    bounds: 'Dropped messages of a connection before it is closed',
    value: { perSecond: 20, burst: 400 },
    unit: 'messages',
    effect: 'close code 1008',
  },
  goodbyeMs: {
    bounds: 'Time to read the close code of a flood',
    value: 1000,
    unit: 'ms',
    effect: 'the end of the connection',
  },
});
