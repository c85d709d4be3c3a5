/** Clients of a TV without a browser: screens that look at frames, and pads whose sticks go round. */
import WebSocket from 'ws';
import { PitvError } from '../../app/errors.js';

const INPUT_MS = 1000 / 60;

/**
 * @param {{url: string, code: string}} tv
 * @param {object} hello role and the like
 * @param {{frame?: (bytes: Buffer) => void, message?: (message: any) => void}} [on]
 * @returns {Promise<WebSocket>} once the TV has let it in
 * @throws {PitvError} PITV_PROFILE_LOAD: what the TV refused with
 */
export function connect({ url, code }, hello, { frame, message } = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', code, ...hello })));
    socket.on('error', reject);
    socket.on('close', (number) => {
      reject(new PitvError('PITV_PROFILE_LOAD', `The TV has hung up (${number}).`));
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary) return frame?.(/** @type {Buffer} */ (data));
      const said = JSON.parse(String(data));
      if (said.t === 'welcome') resolve(socket);
      if (said.t === 'error') reject(new PitvError('PITV_PROFILE_LOAD', said.message));
      message?.(said);
    });
  });
}

/**
 * Sends 60 inputs a second; the timer is to be cleared.
 * @param {WebSocket} socket of a pad @param {number} number of the pad: no two do the same
 * @param {() => void} [sent] called for each
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
