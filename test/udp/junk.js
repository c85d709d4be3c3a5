/** Sends junk to a UDP port from a separate process: `node junk.js PORT COUNT`. */
import { createSocket } from 'node:dgram';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BURST = 200;

/** @param {number} port @param {number} count @returns {Promise<void>} resolves when all datagrams are sent */
export async function sendJunk(port, count) {
  const args = [fileURLToPath(import.meta.url), String(port), String(count)];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`the sender ended with ${code}`);
}

/** Makes junk of three kinds in turn: wrong size, wrong format, unknown pad. @param {number} i */
function junk(i) {
  const bytes = Buffer.alloc([32, 7, 32][i % 3], i);
  if (i % 3 === 0) bytes.set([0x50, 1]);
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [port, count] = process.argv.slice(2).map(Number);
  const socket = createSocket('udp4');
  for (let sent = 0; sent < count; sent += BURST) {
    const some = Array.from({ length: BURST }, (_, i) => junk(sent + i));
    await Promise.all(
      some.map((bytes) => new Promise((resolve) => socket.send(bytes, port, '127.0.0.1', resolve))),
    );
  }
  socket.close();
}
