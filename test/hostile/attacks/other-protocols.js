/** HTTP/2, TLS, SSH, MQTT and upgrades to things that are not websockets. */
import { randomBytes } from 'node:crypto';
import { hostLine } from '../support/wire.js';

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'other protocols on the port',
  bounds: { seconds: 3, bytes: 20_000_000 },
  async run({ tv, crowd, ask, repeat }) {
    const upgrade = (/** @type {string} */ name, more = '') =>
      `GET /ws HTTP/1.1\r\n${hostLine(tv)}Connection: Upgrade${more}\r\nUpgrade: ${name}\r\n` +
      'HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n';
    const openings = [
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
      upgrade('h2c', ', HTTP2-Settings'),
      upgrade('TLS/1.0, HTTP/1.1'),
      upgrade('websocket, h2c'),
      upgrade('websocket'),
      upgrade('WebSocket\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: x'),
      upgrade(
        'websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ' + 'a,'.repeat(3000),
      ),
      '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03' + randomBytes(500).toString('latin1'),
      'SSH-2.0-OpenSSH_9.9\r\n',
      '\x10\x0e\0\x04MQTT\x04\x02\0\x3c\0\x02id',
      '\x05\x01\0',
      'PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\nGET / HTTP/1.1\r\n\r\n',
      randomBytes(10_000).toString('latin1'),
    ];
    await crowd(13, (i) => repeat(async (turn) => ask(openings[(i + turn) % openings.length])));
  },
};
