/** Native pads on a real TV: keys, seats, matches, screens. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeFrame } from '../support/decode-frame.js';
import { BUTTON_A } from '../../app/game/input.js';
import { RELEASED, encodeDatagram } from '../../app/udp/datagram.js';
import {
  Client,
  TV_ENGINES,
  faultyGame,
  gamesOf,
  metricsOf,
  startTv,
  until,
} from '../support/tv.js';

const games = [faultyGame];
const UDP = ['--udp', '0'];

/** Joins as a pad with a key. @param {import('node:test').TestContext} t @param {any} tv @param {object} [hello] */
async function nativePad(t, tv, hello) {
  const client = await Client.pad(tv, hello);
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  let sequence = 0;
  const pad = {
    client,
    grant: /** @type {any} */ (undefined),
    /** @type {{match: number, slot: number}} */
    place: { match: 0, slot: 0 },
    async ask() {
      client.send({ t: 'udp' });
      pad.grant = await client.next('udp');
    },
    async seated() {
      const { match, slot } = await client.next('match');
      pad.place = { match, slot };
      return match;
    },
    /** @param {Partial<import('../../app/udp/datagram.js').PadInput>} input */
    say(input) {
      const { port, pad: number, key } = pad.grant;
      const all = { ...RELEASED, ...pad.place, pad: number, sequence: ++sequence, ...input };
      socket.send(encodeDatagram(all, Buffer.from(key, 'hex')), port, '127.0.0.1');
    },
  };
  await pad.ask();
  return pad;
}

/** Starts a TV and a match with one native pad. @param {import('node:test').TestContext} t @param {object} [options] */
async function startMatch(t, options) {
  const tv = await startTv(t, { games, args: UDP, ...options });
  const screen = await Client.screen(tv);
  const pad = await nativePad(t, tv);
  pad.client.send({ t: 'start', game: 'faulty' });
  const match = await pad.seated();
  return { tv, screen, pad, match };
}

/** @param {any} tv @param {string} outcome @returns {Promise<number>} */
const counted = async (tv, outcome) =>
  (await metricsOf(tv)).get(`pitv_udp_datagrams_total{outcome="${outcome}"}`) ?? NaN;

/** @param {Client} screen @returns {number[]} the stick and presses that the faulty game shows */
const shown = (screen) => [...decodeFrame(/** @type {Buffer} */ (screen.frame)).bodies.x];

for (const engine of TV_ENGINES) {
  test(`${engine}: the program in README.md is a native pad, and moves its ball`, async (t) => {
    const cwd = fileURLToPath(new URL('../../app/udp/', import.meta.url));
    const [, code = ''] =
      /```js\n([\s\S]*?)```/.exec(readFileSync(join(cwd, 'README.md'), 'utf8')) ?? [];
    const options = { games: await gamesOf('bumper'), args: ['--engine', engine, ...UDP] };
    const tv = await startTv(t, options);
    const screen = await Client.screen(tv);
    const args = ['--input-type=module', '--eval', code, 'pad.js', `127.0.0.1:${tv.port}`, tv.code];
    const program = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    t.after(() => program.kill());
    /** Where the ball is once it is moved by an input. */
    const ball = () => {
      const { players, bodies } = decodeFrame(/** @type {Buffer} */ (screen.frame));
      const [{ body, inputSequence }] = players;
      return inputSequence > 2 && bodies.x[bodies.id.indexOf(body)];
    };
    await screen.until(() => screen.frame && ball(), 'the inputs of the program in a frame');
    const before = ball();
    await screen.until(() => ball() !== before, 'the ball to move');
    assert.ok((await counted(tv, 'accepted')) >= 1); // the first ones may have come before it had a seat
    assert.equal((await metricsOf(tv)).get('pitv_udp_pads'), 1);
  });
}

test('a pad gets a key only if it requests one, and only with --udp', async (t) => {
  const off = await startTv(t, { games });
  const pad = await Client.pad(off);
  pad.send({ t: 'udp' });
  const error = await pad.next('error');
  assert.equal(error.code, 'PITV_UDP_OFF');
  assert.match(error.message, /--udp/);
  assert.equal((await metricsOf(off)).get('pitv_udp_pads'), undefined);

  const tv = await startTv(t, { games, args: UDP });
  const phone = await Client.pad(tv);
  await phone.settle();
  assert.equal((await metricsOf(tv)).get('pitv_udp_pads'), 0);
  assert.ok(!phone.messages.some((message) => message.t === 'udp'));
  const screen = await Client.screen(tv);
  screen.send({ t: 'udp' });
  assert.equal((await screen.next('error')).code, 'PITV_MESSAGE_INVALID');
});

test('a key is valid until the pad requests another one or its websocket closes', async (t) => {
  const { tv, pad } = await startMatch(t);
  pad.say({ x: 5 });
  await until(async () => (await counted(tv, 'accepted')) === 1, 'an accepted datagram');
  const first = pad.grant;
  await pad.ask();
  assert.notEqual(pad.grant.key, first.key);
  const second = pad.grant;
  pad.grant = first;
  pad.say({});
  await until(async () => (await counted(tv, 'stranger')) === 1, 'the old key to be refused');
  pad.grant = second;
  pad.say({});
  await until(async () => (await counted(tv, 'accepted')) === 2, 'the new key to be accepted');
  pad.client.vanish();
  await until(async () => (await metricsOf(tv)).get('pitv_udp_pads') === 0, 'the end of the key');
  pad.say({ x: 100 });
  await until(async () => (await counted(tv, 'stranger')) === 2, 'the pad to be unknown');
});

test('datagrams for an ended match do not count for the next one', async (t) => {
  const { tv, screen, pad, match: first } = await startMatch(t);
  pad.say({ x: 50 });
  await screen.until(() => screen.frame && shown(screen)[0] === 50, 'the stick in the first match');
  pad.client.send({ t: 'stop' });
  await pad.client.next('ended');
  pad.say({ x: 51 });
  await until(async () => (await counted(tv, 'seat')) === 1, 'a datagram without a match');
  pad.client.send({ t: 'again' });
  const next = await pad.seated();
  assert.notEqual(next, first);
  pad.say({ x: 52, match: first });
  await until(async () => (await counted(tv, 'seat')) === 2, 'a datagram for the ended match');
  pad.say({ x: 53 });
  await screen.until(() => shown(screen)[0] === 53, 'the stick in the next match');
});

test('datagrams reach the next worker after a worker has failed', async (t) => {
  const { screen, pad } = await startMatch(t);
  await pad.client.next('hud');
  pad.say({ buttons: BUTTON_A, pressesA: 1 });
  await pad.client.next('notice');
  pad.say({ x: 91, pressesA: 1 });
  await screen.until(() => shown(screen)[0] === 91, 'the game to continue');
});

test('a silent pad is released; then the websocket counts, and later datagrams again', async (t) => {
  const { tv, screen, pad } = await startMatch(t, { pads: { silenceMs: 300 } });
  pad.client.input(20, 0);
  await screen.until(() => screen.frame && shown(screen)[0] === 20, 'the websocket at first');
  const sending = setInterval(() => pad.say({ x: 60 }), 20);
  t.after(() => clearInterval(sending));
  await screen.until(() => shown(screen)[0] === 60, 'the datagrams');
  pad.client.input(21, 0);
  await pad.client.settle();
  const dropped = 'pitv_messages_dropped_total{kind="input-beside-udp"}';
  assert.equal((await metricsOf(tv)).get(dropped), 1, 'the websocket is ignored meanwhile');
  clearInterval(sending);
  await screen.until(() => shown(screen)[0] === 0, 'the stick to be released');
  pad.client.input(22, 0);
  await screen.until(() => shown(screen)[0] === 22, 'the websocket again');
  pad.say({ x: 61 });
  await screen.until(() => shown(screen)[0] === 61, 'a datagram again');
});

test('without the addon, --udp is an error with a remedy', () => {
  const module = (/** @type {string} */ path) => new URL(`../../app/${path}`, import.meta.url);
  const source = `Object.defineProperty(process, 'arch', { value: 'abacus' });
    const { UdpPads } = await import('${module('udp/pads.js')}');
    await new UdpPads({}).open().catch((error) => console.log(error.code, error.message));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  assert.match(stdout, /^PITV_UDP_ADDON .*make native/);
});
