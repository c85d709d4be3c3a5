import { once } from 'node:events';
import { createServer } from 'node:net';

/** Finds free TCP ports of 127.0.0.1. @param {number} count @returns {Promise<number[]>} */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => /** @type {any} */ (server.address()).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** Finds a free TCP port. @returns {Promise<number>} */
export const freePort = async () => (await freePorts(1))[0];
