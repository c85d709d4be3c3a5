/** Attacks by screens, phones and native pads that use the TV as others do, but without measure, or do not read. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { MAGIC, VERSION } from '../../../app/udp/datagram.js';
import { OPCODE, frame, textFrame } from '../../support/wire.js';
import { clients, staying } from '../support/attacker.js';

const GAMES = ['collide', 'swarm', 'bumper', 'nope'];
/** Datagrams at once. */
const BURST = 100;
/** Headers of IP and UDP, bytes. */
const HEADERS = 28;
/** Names that are long to show or to cut: letters of many bytes, accents without end, a family of hundreds. */
const NAMES = ['名', 'é\u{1f600}', 'a' + '\u0301'.repeat(500), '\u{1f468}\u200d'.repeat(100)];

const FLOODS = [
  frame(OPCODE.binary, Buffer.from([1, 100, 100, 3, 9, 9, 0, 1])),
  textFrame({ t: 'ping', at: 1 }),
  textFrame({ t: 'leave' }),
  frame(OPCODE.text, 'not JSON'),
  frame(OPCODE.text, ''),
  frame(OPCODE.ping, 'p'.repeat(125)),
  frame(OPCODE.pong),
  frame(OPCODE.close),
];

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  'many-tabs': {
    name: 'sixty tabs of one computer',
    bounds: { seconds: 4, bytes: 100_000_000 },
    run: staying(60, ({ screen }) => screen()),
  },

  'match-storm': {
    name: 'storm of matches started and stopped',
    bounds: { seconds: 4, bytes: 30_000_000 },
    recoveryMs: 10_000, // see LIMITS of game.js
    async run({ crowd, screen, phone, pause, repeat, check }) {
      await crowd(4, async (i) => {
        const each = await (i % 2 ? phone('Storm') : screen());
        await repeat(async (turn) => {
          each.send({ t: 'start', game: GAMES[(i + turn) % GAMES.length] });
          await pause(60);
          const { match } =
            each.messages.findLast(({ t }) => t === (i % 2 ? 'match' : 'watch')) ?? {};
          each.send({ t: 'stop', match });
          await pause(60);
          each.messages.length = 0;
          check(!each.closed, 'the TV closed a connection');
        });
      });
    },
  },

  'message-floods': {
    name: 'floods of messages, inputs and control frames',
    bounds: { seconds: 3, bytes: 30_000_000 },
    run: clients(FLOODS.length, async ({ tv, upgrade, write, flood, pause }, { i }) => {
      const socket = await upgrade();
      const role = i < 4 ? { role: 'pad', code: tv.code, name: 'Flood' } : { role: 'screen' };
      await write(socket, textFrame({ t: 'hello', ...role }));
      await pause(20);
      await flood(socket, Buffer.alloc(500 * FLOODS[i].length, FLOODS[i]));
    }),
  },

  // The TV reports each name to every screen and phone.
  'name-churn': {
    name: 'names that change all the time',
    bounds: { seconds: 4, bytes: 100_000_000 },
    run: ({ from, crowd, phone, pause, repeat }) =>
      crowd(24, async (i) => {
        const pad = await phone(`N${i}`, from(i));
        await repeat(async (turn) => {
          pad.send({ t: 'name', name: `${NAMES[turn % NAMES.length]}${turn}` });
          await pause(100);
        });
      }),
  },

  'udp-flood': {
    name: 'flood of datagrams',
    bounds: { seconds: 4, bytes: 60_000_000 },
    async run({ address, phone, repeat, spend }) {
      const pad = await phone('Udo');
      pad.send({ t: 'udp' });
      const { port } = await pad.next('udp');
      const socket = createSocket('udp4').bind(0, address);
      await once(socket, 'listening');
      const junk = [32, 32, 31, 1400, 0, 9000].map((length) => randomBytes(length));
      junk[0].set([MAGIC, VERSION]);
      await repeat(async (turn) => {
        const bytes = junk[turn % junk.length];
        const send = () => new Promise((resolve) => socket.send(bytes, port, '127.0.0.1', resolve));
        await Promise.all(Array.from({ length: BURST }, send));
        spend(BURST * (bytes.length + HEADERS));
      });
      socket.close();
    },
  },

  'unread-frames': {
    name: 'frames that are never read',
    bounds: { seconds: 5, bytes: 20_000_000 },
    async run({ matches, crowd, upgrade, over }) {
      const running = await matches();
      await crowd(60, async () => {
        const socket = await upgrade();
        socket.pause();
        socket.write(textFrame({ t: 'hello', role: 'screen' }));
        for (const { id } of running) socket.write(textFrame({ t: 'watch', match: id }));
      });
      await over();
    },
  },
};
