import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to connections and for port 0: nothing else takes one before it is used. */
const FIRST = 10_240;
const END = 32_768;

/** Finds free TCP ports of 127.0.0.1. @param {number} count @returns {Promise<number[]>} */
export async function freePorts(count) {
  /** @type {number[]} */
  const ports = [];
  while (ports.length < count) {
    const port = randomInt(FIRST, END);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

/** @param {number} port */
async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await new Promise((done) => server.close(done));
  return isListening;
}

/** Finds a free TCP port. @returns {Promise<number>} */
export const freePort = async () => (await freePorts(1))[0];
