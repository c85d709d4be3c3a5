import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { parseSettings } from '../../app/config/parse.js';
import { createTv } from '../../app/create-tv.js';
import { silentLog } from '../../app/log.js';
import { Client, temporaryFolder } from '../support/tv.js';

/** @param {import('node:test').TestContext} t @param {string} dataDir */
async function makeTv(t, dataDir) {
  const args = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir, '--engine', 'thread'];
  const tv = await createTv(parseSettings([...args, '--checkpoint-seconds', '1'], {}), silentLog);
  t.after(() => tv.stop());
  return tv;
}

test('a phone that reconnects while saved matches are being read is recognised', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await makeTv(t, dataDir);
  await first.start();
  const before = await Client.connect(first, { t: 'hello', role: 'pad', code: first.code });
  const { token, player } = await before.next('welcome');
  before.send({ t: 'start', game: 'bumper' });
  const { match } = await before.next('match');
  await first.stop();

  const second = await makeTv(t, dataDir);
  const { persistence } = second;
  const loadSaved = persistence.loadSaved.bind(persistence);
  let goOn = () => {};
  const asked = new Promise((resolve) => {
    persistence.loadSaved = async () => {
      await new Promise((read) => {
        goOn = () => read(undefined);
        resolve(undefined);
      });
      return loadSaved();
    };
  });
  const started = second.start();
  await asked;
  const after = await Client.connect(second, { t: 'hello', role: 'pad', token, code: 'old' });
  const welcome = await after.next('welcome');
  assert.equal(welcome.resumed, true);
  assert.deepEqual(welcome.player, player);
  goOn();
  await started;
  assert.equal((await after.next('match')).match, match);
  after.vanish();
  await once(after.socket, 'close');
});
