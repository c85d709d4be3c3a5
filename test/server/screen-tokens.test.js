import assert from 'node:assert/strict';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { ScreenTokens } from '../../app/server/screen-tokens.js';
import { Client, faultyGame, startMatchOfScreen, startTv, until } from '../support/tv.js';

/** @param {number} number */
const hashOf = (number) => number.toString(16).padStart(64, '0');

test('the address with the most tokens loses its oldest one', () => {
  const tokens = new ScreenTokens({ inUse: () => false, max: 3 });
  for (const [number, client] of [
    [1, 'home'],
    [2, 'stranger'],
    [3, 'stranger'],
    [4, 'stranger'],
    [5, 'other'],
  ]) {
    tokens.open(hashOf(Number(number)), String(client));
    tokens.close(hashOf(Number(number)));
  }
  assert.deepEqual(tokens.hashes, [1, 4, 5].map(hashOf));
});

test('tokens of connected screens and of owners of matches are kept', () => {
  const tokens = new ScreenTokens({ inUse: (hash) => hash === hashOf(1), max: 2 });
  tokens.open(hashOf(1), 'a');
  tokens.close(hashOf(1));
  tokens.open(hashOf(2), 'a');
  tokens.open(hashOf(2), 'a');
  tokens.close(hashOf(2)); // one of its two connections
  for (let i = 10; i < 20; i++) {
    tokens.open(hashOf(i), 'a');
    tokens.close(hashOf(i));
  }
  assert.deepEqual(tokens.hashes, [18, 19, 2, 1].map(hashOf));
});

test('tokens of an earlier start are known, and invalid ones are ignored', () => {
  const tokens = new ScreenTokens({ inUse: () => false, max: 3 });
  tokens.restore(['', 'x', ...[1, 2, 3, 4, 5].map(hashOf), hashOf(5)]);
  assert.deepEqual(tokens.hashes, [3, 4, 5].map(hashOf));
});

test('anonymous screens do not displace the token of a screen that owns a match', async (t) => {
  const { tv, screen, token, match } = await startMatchOfScreen(t);
  screen.vanish();
  for (let i = 0; i < LIMITS.screenTokens.value + 2; i++) (await Client.screen(tv)).vanish();
  await until(() => tv.server.hub.screens.count === 0, 'the end of all screens');
  assert.ok(tv.services.screenTokens.hashes.length <= LIMITS.screenTokens.value + 1);
  const again = await Client.screen(tv, { token });
  again.send({ t: 'watch', match });
  again.send({ t: 'stop', match });
  assert.equal((await again.next('ended')).reason, 'stopped');
});

test('anonymous screens of one address do not displace tokens of another', async (t) => {
  const tv = await startTv(t, { games: [faultyGame], args: ['--screen-access', 'code'] });
  const screen = await Client.connect(tv, { t: 'hello', role: 'screen', code: tv.code });
  const { token } = await screen.next('welcome');
  screen.vanish();
  const options = { localAddress: '127.0.0.2' };
  for (let i = 0; i < LIMITS.screenTokens.value + 2; i++) {
    (await Client.screen(tv, { code: tv.code }, options)).vanish();
  }
  await until(() => tv.server.hub.screens.count === 0, 'the end of all screens');
  await Client.screen(tv, { token });
});
