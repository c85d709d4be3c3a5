import workerpool from 'workerpool';
import echo from './echo.js';

const moved = (/** @type {Uint8Array | null} */ payload) =>
  payload && new workerpool.Transfer(payload, [payload.buffer]);

workerpool.worker({ echo, moved });
