/** Clients of a TV without a browser: screens that receive frames, and pads that move their sticks. */
import WebSocket from 'ws';
import { PitvError } from '../../app/errors.js';

const INPUT_MS = 1000 / 60;

/**
 * Connects to a TV as a screen or a pad.
 * @param {{url: string, code: string}} tv
 * @param {object} hello role and the like
 * @param {{frame?: (bytes: Buffer) => void, message?: (message: any, bytes: number) => void}} [on]
 * @returns {Promise<WebSocket>} once the TV has sent its welcome
 * @throws {PitvError} PITV_PROFILE_LOAD with the reason why the TV refused
 */
export function connect({ url, code }, hello, { frame, message } = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', code, ...hello })));
    socket.on('error', reject);
    socket.on('close', (number) => {
      reject(new PitvError('PITV_PROFILE_LOAD', `The TV closed the connection (${number}).`));
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary) return frame?.(/** @type {Buffer} */ (data));
      const reply = JSON.parse(String(data));
      if (reply.t === 'welcome') resolve(socket);
      if (reply.t === 'error') reject(new PitvError('PITV_PROFILE_LOAD', reply.message));
      message?.(reply, /** @type {Buffer} */ (data).length);
    });
  });
}

/**
 * Sends 60 inputs a second until the returned timer is cleared.
 * @param {WebSocket} socket of a pad @param {number} number of the pad; each one moves differently
 * @param {() => void} [sent] called for each input
 */
export function push(socket, number, sent) {
  const input = Buffer.alloc(8);
  let sequence = 0;
  return setInterval(() => {
    sequence++;
    sent?.();
    input.writeUInt8(1, 0);
    input.writeInt8(((sequence * 7 + number * 31) % 255) - 127, 1);
    input.writeInt8(((sequence * 11 + number * 17) % 255) - 127, 2);
    input.writeUInt16LE(sequence & 0xffff, 6);
    socket.send(input);
  }, INPUT_MS);
}
