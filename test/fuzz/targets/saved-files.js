/** Every file in the data directory that a starting TV reads, with any content. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openAdminAccess } from '../../../app/admin/access.js';
import { Persistence } from '../../../app/storage/persistence.js';
import { silentLog } from '../../../app/log.js';
import { Players } from '../../../app/lobby/players.js';
import { PLAYER_COLORS } from '../../../app/match/player-colors.js';
import { Store } from '../../../app/storage/store.js';
import { savedFile } from '../support/saved-files.js';
import { cpuMs } from '../support/cpu.js';

/** The limit for the CPU time of two starts with a hundred small files. */
const START_MS = 5000;

/** @param {string} directory @param {import('../support/saved-files.js').SavedFile[]} files */
function lay(directory, files) {
  for (const { path, kind, bytes } of files) {
    const at = join(directory, path);
    rmSync(at, { recursive: true, force: true });
    mkdirSync(dirname(at), { recursive: true });
    if (kind === 'folder') mkdirSync(at);
    else if (kind === 'link') symlinkSync(bytes.length % 2 ? '/dev/null' : 'nowhere', at);
    else writeFileSync(at, bytes);
  }
}

/** Reads people and matches as a starting TV does. @param {Store} store @param {number} everyMs */
async function readMatches(store, everyMs) {
  const persistence = new Persistence({
    store,
    lobby: /** @type {any} */ ({ matches: [], on() {} }),
    log: silentLog,
    everyMs,
    people: () => people,
  });
  const people = await persistence.loadPeople();
  const players = new Players();
  try {
    players.restore(people.players);
    for (const player of players.all) {
      assert.ok(Number.isSafeInteger(player.id) && player.id > 0);
      assert.ok(PLAYER_COLORS.includes(player.color));
      assert.ok(typeof player.name === 'string' && player.name.length > 0);
      assert.equal(player.tokenHash.length, 32);
      assert.equal(player.connected, false);
    }
  } finally {
    players.close();
  }
  for (const screen of people.screens) assert.equal(typeof screen, 'string');
  for (const { saved, checkpoint } of await persistence.loadSaved()) {
    assert.ok(Number.isSafeInteger(saved.id) && Number.isSafeInteger(saved.tick));
    for (const { slot, player } of saved.seats) {
      assert.ok(Number.isInteger(slot) && Number.isInteger(player));
    }
    assert.ok(Buffer.isBuffer(checkpoint));
  }
  await persistence.close();
}

/** @param {Store} store */
async function readAdmin(store) {
  const { password, sessions } = await openAdminAccess(store, { writable: true, log: silentLog });
  assert.ok(sessions.cookieName);
  const record = await password.current();
  if (!record) return;
  const forged = `${'A'.repeat(22)}.${'9'.repeat(13)}.${'A'.repeat(43)}`;
  assert.equal(sessions.check(forged, record), undefined);
}

/** @type {import('../support/target.js').Target<import('../support/saved-files.js').SavedFile>} */
export default {
  name: 'saved-files',
  seconds: 4,
  batch: 100,
  input: savedFile,
  async open() {
    const root = mkdtempSync(join(tmpdir(), 'files-'));
    return {
      async check(files) {
        const began = cpuMs();
        for (const everyMs of [0, 1000]) {
          const directory = mkdtempSync(join(root, 'data-'));
          lay(directory, files);
          const store = new Store(directory);
          assert.equal(await store.open(), undefined);
          await readMatches(store, everyMs);
          await readAdmin(store);
          rmSync(directory, { recursive: true });
        }
        const ms = cpuMs() - began;
        assert.ok(ms < START_MS, `reading took ${Math.round(ms)} ms`);
      },
      close: async () => rmSync(root, { recursive: true }),
    };
  },
};
