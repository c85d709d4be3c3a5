import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { entriesOf, packageFiles, writeArchive } from '../support/archives.js';
import { pngOf } from '../support/pictures.js';
import { wavOf } from '../support/sounds.js';
import { startTv, temporaryFolder } from '../support/tv.js';

const PICTURE = pngOf(8, 8);
const SOUND = wavOf(20);

/** @param {string} kind the picture of the balls @param {string} sound of the event */
const gameWith = (kind, sound) => ({
  top: `const kinds = [{ name: 'ball', look: 'ball', color: 'owner', picture: '${kind}' }];
    const events = [{ name: 'kick', effect: 'ring', sound: '${sound}', rumbleMs: 0 }];`,
  fields: "view: { width: 1600, height: 900, background: '#000000', kinds, events, extra: [] },",
});

test('a named picture or sound is served as data, for as long as a match has it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const tv = await startTv(t, { dataDir, args: ['--engine', 'process'] });
  const { installed, lobby } = tv.services;
  const from = join(dataDir, 'gather.tgz');
  /** @param {string} picture @param {string} [sound] */
  const install = async (picture, sound = 'sounds/kick.wav') => {
    const files = packageFiles('gather', { game: gameWith(picture, sound) });
    const art = ['ball.png', 'other.png'].map((name) => ({
      path: `package/art/${name}`,
      bytes: PICTURE,
    }));
    const sounds = ['kick.wav', 'other.wav'].map((name) => ({
      path: `package/sounds/${name}`,
      bytes: SOUND,
    }));
    writeArchive(from, [...entriesOf(files), ...art, ...sounds]);
    const { checkPackage } = await import('../../app/packages/check-package.js');
    await installed.packages.install({ kind: 'file', from }, { check: checkPackage });
    await installed.refresh();
    return lobby.game('gather').hash;
  };
  const version = await install('art/ball.png');
  const get = (/** @type {string} */ path) => fetch(`${tv.url}/art/${path}`);

  const response = await get(`gather/${version}/ball.png`);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), PICTURE);
  const { headers } = response;
  assert.equal(headers.get('content-type'), 'image/png');
  assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'");
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  const sound = await fetch(`${tv.url}/sounds/gather/${version}/kick.wav`);
  assert.deepEqual(Buffer.from(await sound.arrayBuffer()), SOUND);
  assert.equal(sound.headers.get('content-type'), 'audio/wav');
  assert.equal(sound.headers.get('content-security-policy'), "sandbox; default-src 'none'");
  for (const path of [`art/gather/${version}/kick.wav`, `sounds/gather/${version}/other.wav`]) {
    assert.equal((await fetch(`${tv.url}/${path}`)).status, 404, path);
  }
  for (const path of [
    `gather/${version}/other.png`,
    `gather/${version}/..%2fgame.js`,
    `gather/${version}/..%2f..%2f..%2f..%2fadmin.token`,
    `gather/${'0'.repeat(64)}/ball.png`,
    `bumper/${lobby.game('bumper').hash}/ball.png`,
    `gather/${version}/`,
  ]) {
    assert.equal((await get(path)).status, 404, path);
  }

  const { match } = await lobby.start('gather', { owner: 'test' });
  await install('art/other.png');
  assert.equal((await get(`gather/${version}/ball.png`)).status, 200);
  await match.stop();
  assert.equal((await get(`gather/${version}/ball.png`)).status, 404);
  await assert.rejects(install('art/missing.png'), {
    code: 'PITV_GAME_INVALID',
    message: 'gather: view.kinds[0].picture: art/missing.png is not in the package.',
  });
  await assert.rejects(install('art/ball.png', 'sounds/missing.wav'), {
    message: 'gather: view.events[0].sound: sounds/missing.wav is not in the package.',
  });
});
