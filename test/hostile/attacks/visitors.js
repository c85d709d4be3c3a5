/** Attacks by screens, phones and native pads that use the TV as others do, but without measure. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { MAGIC, VERSION, encodeDatagram } from '../../../app/udp/datagram.js';
import { request } from '../../support/wire.js';
import { staying } from '../support/attacker.js';

const GAMES = ['collide', 'swarm', 'bumper', 'nope'];
/** Datagrams at once. */
const BURST = 100;
/** Headers of IP and UDP, bytes. */
const HEADERS = 28;
/** The TV ends a match that nobody watches after this time instead of a minute, ms. */
const UNWATCHED_MS = 2000;
const END_MS = UNWATCHED_MS + 2000;
const FIELDS = { sequence: 1, x: 9, y: 9, buttons: 0, pressesA: 0, pressesB: 0 };

/**
 * Connects a phone that has a key for native pads.
 * @param {import('../support/attacker.js').Attacker} attacker
 */
async function openNativePad({ tv, address, phone }) {
  const pad = await phone('Udo');
  pad.send({ t: 'udp' });
  const grant = await pad.next('udp');
  const socket = createSocket('udp4').bind(0, address);
  await once(socket, 'listening');
  const send = (/** @type {Buffer} */ bytes) =>
    new Promise((resolve) => socket.send(bytes, grant.port, tv.host, resolve));
  return { pad, grant, send, socket };
}

/** @type {Record<string, import('../support/attacker.js').Attack>} */
export default {
  'all-places': {
    name: 'one address takes all places',
    run: staying(64, ({ phone }, i) => phone(`P${i}`)),
  },

  'many-tabs': {
    name: 'sixty tabs of one computer',
    bounds: { seconds: 4, bytes: 100_000_000 },
    run: staying(60, ({ screen }) => screen()),
  },

  'match-storm': {
    name: 'storm of matches started and stopped',
    bounds: { seconds: 4, bytes: 30_000_000 },
    // A start that takes longer than the pause leaves a match behind whose stop message came too early. It ends when it
    // has had no connected player, or no screen that watched it, for this time instead of a minute, ms.
    limits: { emptyMatch: 2000, unwatchedMatch: 2000 },
    recoveryMs: 10_000,
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

  // The TV reports each name to every screen and phone.
  'name-churn': {
    name: 'names that change all the time',
    bounds: { seconds: 4, bytes: 100_000_000 },
    run: ({ from, crowd, phone, pause, repeat }) =>
      crowd(24, async (i) => {
        const pad = await phone(`N${i}`, from(i));
        await repeat(async (turn) => {
          pad.send({ t: 'name', name: `${'名é\u{1f600}'[turn % 3]}${turn}` });
          await pause(100);
        });
      }),
  },

  // A hundred anonymous screens, so that the TV forgets the token of a real one.
  'screen-tokens': {
    name: "screens that push out others' tokens",
    bounds: { seconds: 4, bytes: 20_000_000 },
    async run({ from, screen, signal }) {
      const real = await screen(from(1));
      const { token } = await real.next('welcome');
      for (let i = 0; i < 100 && !signal.aborted; i++) {
        const other = await screen();
        await other.next('welcome');
        other.vanish();
      }
      real.vanish();
      const again = await screen({ ...from(1), token });
      const welcome = await again.next('welcome');
      if (welcome.token !== token) throw new Error('the real screen is a stranger now');
    },
  },

  'stop-others': {
    name: "attempts to stop others' matches",
    bounds: { seconds: 3, bytes: 10_000_000 },
    async run({ tv, matches, screen: openScreen, phone, ask, pause, repeat }) {
      const running = await matches();
      const screen = await openScreen();
      const pad = await phone('Stop');
      const claims = ['', 'Authorization: Bearer x\r\n', 'Cookie: pitv=x; pitv_session=x\r\n'];
      await repeat(async (turn) => {
        for (const { id } of running) {
          screen.send({ t: 'watch', match: id });
          screen.send({ t: 'stop', match: id });
          pad.send({ t: 'join', match: id });
          pad.send({ t: 'stop', match: id });
          pad.send({ t: 'leave' });
          const headers = claims[turn % claims.length];
          await ask(request(tv, `/api/matches/${id}`, { method: 'DELETE', headers }));
        }
        await pause(200);
      });
    },
  },

  'udp-flood': {
    name: 'flood of datagrams',
    bounds: { seconds: 4, bytes: 60_000_000 },
    async run(attacker) {
      const { send, socket } = await openNativePad(attacker);
      const junk = [32, 32, 31, 1400, 0, 9000].map((length) => randomBytes(length));
      junk[0].set([MAGIC, VERSION]);
      await attacker.repeat(async (turn) => {
        const bytes = junk[turn % junk.length];
        await Promise.all(Array.from({ length: BURST }, () => send(bytes)));
        attacker.spend(BURST * (bytes.length + HEADERS));
      });
      socket.close();
    },
  },

  'udp-keys': {
    name: 'keys of native pads without end',
    run: ({ crowd, phone, pause, repeat }) =>
      crowd(4, async () => {
        const pad = await phone('Keys');
        await repeat(async () => {
          pad.send({ t: 'udp' });
          pad.messages.length = 0;
          await pause(100);
        });
      }),
  },

  // Datagrams that were sent before, that others signed, and that name other players' pads and places.
  'udp-replay': {
    name: 'replayed and forged datagrams',
    async run(attacker) {
      const { tv, matches, pause, repeat, spend, signal } = attacker;
      const [{ id }] = await matches();
      const { pad, grant, send } = await openNativePad(attacker);
      pad.send({ t: 'join', match: id });
      const { match, slot } = await pad.next('match');
      const key = Buffer.from(grant.key, 'hex');
      const make = (/** @type {object} */ fields, by = key) =>
        encodeDatagram({ ...FIELDS, match, slot, pad: grant.pad, ...fields }, by);
      const accepted = async () => {
        const text = await (await fetch(`http://${tv.host}:${tv.port}/metrics`)).text();
        return Number(/outcome="accepted"} (\d+)/.exec(text)?.[1]);
      };
      const before = await accepted();
      await send(make({ sequence: 10 }));
      while ((await accepted()) === before && !signal.aborted) await pause(10);
      const forged = [
        make({ sequence: 10 }),
        make({ sequence: 9 }),
        make({ sequence: 0 }),
        make({ sequence: 100, slot: (slot + 1) % 4 }),
        make({ sequence: 101, match: (match % 65_535) + 1 }),
        make({ sequence: 102 }, randomBytes(16)),
        ...[0, 1, 2, 3].map((n) =>
          make({ sequence: 200, slot: n, pad: (grant.pad ^ (n + 1)) >>> 0 }),
        ),
      ];
      await repeat(async () => {
        for (const bytes of forged) {
          await send(bytes);
          spend(bytes.length + HEADERS);
        }
        await pause(1);
      });
      const taken = (await accepted()) - before;
      if (taken > 1) throw new Error(`${taken - 1} forged datagrams were accepted`);
    },
  },

  // Screens start games for screens, and leave before they have watched them: the places become free again.
  'unwatched-matches': {
    name: 'matches that nobody watches',
    whole: true,
    limits: { unwatchedMatch: UNWATCHED_MS },
    bounds: { seconds: END_MS / 1000 + 10, bytes: 10_000_000 },
    async run({ matches, crowd, screen: openScreen, pause }) {
      const { length: before } = await matches();
      await crowd(4, async (i) => {
        const screen = await openScreen();
        await screen.next('welcome');
        if (i === 0) {
          screen.send({ t: 'start', game: 'collide' });
          await screen.next('watch');
        }
        screen.send({ t: 'start', game: 'collide' });
        await screen.settle();
        screen.vanish();
      });
      if ((await matches()).length === before) throw new Error('no match was started');
      await pause(END_MS);
      const { length: after } = await matches();
      if (after > before) throw new Error(`${after - before} matches are still running`);
    },
  },
};
