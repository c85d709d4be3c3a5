/** Attacks by screens, phones and native pads that use the TV as others do, but without measure, or do not read. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { MAGIC, VERSION } from '../../../app/udp/datagram.js';

const GAMES = ['collide', 'swarm', 'bumper', 'nope'];
/** Datagrams at once. */
const BURST = 100;
/** Headers of IP and UDP, bytes. */
const HEADERS = 28;
/** Names that are long to show or to cut: letters of many bytes, accents without end, a family of hundreds. */
const NAMES = ['名', 'é\u{1f600}', 'a' + '\u0301'.repeat(500), '\u{1f468}\u200d'.repeat(100)];

/** Tells whether a match has started. @param {{t: string}} message to a phone or a screen */
const isStart = ({ t }) => t === 'match' || t === 'watch';

/** Makes datagrams of rubbish. The first one begins like a right one. */
function makeJunk() {
  const junk = [32, 32, 31, 1400, 0, 9000].map((length) => randomBytes(length));
  junk[0].set([MAGIC, VERSION]);
  return junk;
}

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  'many-tabs': {
    name: 'sixty tabs of one computer',
    bounds: { seconds: 4, bytes: 100_000_000 },
    clients: 60,
    enter: ({ screen }) => screen(),
  },

  'match-storm': {
    name: 'storm of matches started and stopped',
    bounds: { seconds: 4, bytes: 30_000_000 },
    recoveryMs: 10_000, // see LIMITS of game.js
    clients: 4,
    items: () => GAMES,
    enter: ({ screen, phone }, i) => (i % 2 ? phone('Storm') : screen()),
    async act({ pause, check }, { own, item }) {
      own.send({ t: 'start', game: item });
      await pause(60);
      const { match } = own.messages.findLast(isStart) ?? {};
      own.send({ t: 'stop', match });
      await pause(60);
      own.messages.length = 0;
      check(!own.closed, 'the TV closed a connection');
    },
  },

  // The TV reports each name to every screen and phone.
  'name-churn': {
    name: 'names that change all the time',
    bounds: { seconds: 4, bytes: 100_000_000 },
    clients: 24,
    items: () => NAMES,
    enter: ({ from, phone }, i) => phone(`N${i}`, from(i)),
    async act({ pause }, { own, item, turn }) {
      own.send({ t: 'name', name: `${item}${turn}` });
      await pause(100);
    },
  },

  'udp-flood': {
    name: 'flood of datagrams',
    bounds: { seconds: 4, bytes: 60_000_000 },
    clients: 1,
    items: makeJunk,
    async enter({ address, phone }) {
      const pad = await phone('Udo');
      pad.send({ t: 'udp' });
      const { port } = await pad.next('udp');
      const socket = createSocket('udp4').bind(0, address);
      await once(socket, 'listening');
      return (/** @type {Buffer} */ bytes) =>
        new Promise((resolve) => socket.send(bytes, port, '127.0.0.1', resolve));
    },
    async act({ spend }, { own: send, item }) {
      await Promise.all(Array.from({ length: BURST }, () => send(item)));
      spend(BURST * (item.length + HEADERS));
    },
  },

  'unread-frames': {
    name: 'frames that are never read',
    bounds: { seconds: 5, bytes: 20_000_000 },
    clients: 60,
    async enter({ screen }) {
      const each = await screen();
      const { matches } = await each.wait('lobby');
      each.socket.pause();
      for (const { id } of matches) each.send({ t: 'watch', match: id });
    },
  },
};
