import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Ajv } from 'ajv';
import { checkManifest } from '../../app/packages/manifest.js';

const SCHEMA = new URL('../../app/packages/manifest.schema.json', import.meta.url);
const validate = new Ajv().compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));

const GOOD = Object.freeze({
  name: 'gather',
  version: '1.0.0',
  type: 'module',
  keywords: ['game', 'pitv-game'],
  pitv: Object.freeze({ game: 'game.js', api: 1 }),
});
const pitv = (/** @type {object} */ fields) => ({ pitv: { ...GOOD.pitv, ...fields } });

/** Manifests of games, and their ids. @type {[object, string][]} */
const ACCEPTED = [
  [{}, 'gather'],
  [{ name: '@me/gather' }, 'gather'],
  [{ name: 'pitv-game-gather' }, 'gather'],
  [{ name: '@me/pitv-gather-2' }, 'gather-2'],
  [{ version: '10.2.3-beta.1+4' }, 'gather'],
  [{ author: 5, scripts: { test: 'x' }, devDependencies: { eslint: '*' } }, 'gather'],
  [{ dependencies: {}, bundleDependencies: [], optionalDependencies: {} }, 'gather'],
  [{ bundleDependencies: false }, 'gather'],
  [pitv({ game: 'dist/the_game.v2.js' }), 'gather'],
];
/** Wrong fields, and what the sentence says. @type {[object, RegExp][]} */
const REFUSED = [
  [{ name: undefined }, /name must be a name of an npm package.*, not undefined/],
  [{ name: 'Gather' }, /name must be a name/],
  [{ name: '../gather' }, /name must be a name/],
  [{ name: 'x'.repeat(215) }, /name must be a name/],
  [{ name: 'gather.js' }, /the id "gather\.js"\. An id begins with a letter/],
  [{ name: 'x'.repeat(41) }, /at most 40/],
  [{ name: '3d' }, /the id "3d"/],
  [{ version: '1.0' }, /version must be a version such as "1\.0\.0", not "1\.0"/],
  [{ version: 1 }, /version/],
  [{ type: undefined }, /type must be "module", not undefined/],
  [{ type: 'commonjs' }, /type must be "module"/],
  [{ keywords: undefined }, /keywords must be an array that contains "pitv-game"/],
  [{ keywords: 'pitv-game' }, /keywords/],
  [{ keywords: ['game'] }, /keywords/],
  [{ pitv: undefined }, /pitv must be an object, not undefined/],
  [{ pitv: [] }, /pitv must be an object/],
  [pitv({ game: undefined }), /pitv\.game must be the path of a \.js file.*, not undefined/],
  [pitv({ game: '../game.js' }), /pitv\.game/],
  [pitv({ game: '/game.js' }), /pitv\.game/],
  [pitv({ game: './game.js' }), /pitv\.game/],
  [pitv({ game: 'a//game.js' }), /pitv\.game/],
  [pitv({ game: 'a\\game.js' }), /pitv\.game/],
  [pitv({ game: '.hidden.js' }), /pitv\.game/],
  [pitv({ game: 'game.mjs' }), /pitv\.game/],
  [pitv({ game: 'game.js\n' }), /pitv\.game/],
  [pitv({ game: `${'x'.repeat(200)}.js` }), /pitv\.game/],
  [pitv({ api: 2 }), /pitv\.api must be 1, not 2\./],
  [pitv({ api: '1' }), /pitv\.api/],
  [pitv({ art: 'art' }), /there is no field pitv\.art\. Fields: game, api\./],
  [{ dependencies: { lodash: '*' } }, /dependencies must be empty: a game imports pitv\/game/],
  [{ optionalDependencies: { lodash: '*' } }, /optionalDependencies/],
  [{ bundleDependencies: ['lodash'] }, /bundleDependencies/],
  [{ bundledDependencies: ['lodash'] }, /bundledDependencies/],
];
/** As JSON has it, without undefined fields. @param {object} fields */
const manifest = (fields) => JSON.parse(JSON.stringify({ ...GOOD, ...fields }));

test('a manifest gives the id, and the schema accepts it', () => {
  for (const [fields, id] of ACCEPTED) {
    const given = manifest(fields);
    const { name, version } = given;
    assert.deepEqual(checkManifest(given), { id, name, version, ...given.pitv });
    assert.ok(validate(given), JSON.stringify(validate.errors));
  }
});

test('a wrong manifest is refused by a sentence that names the field, and by the schema', () => {
  for (const [fields, sentence] of REFUSED) {
    const given = manifest(fields);
    assert.throws(() => checkManifest(given), { code: 'PITV_PACKAGE_INVALID', message: sentence });
    assert.equal(validate(given), false, JSON.stringify(given));
  }
  for (const given of [null, [], 'x', 5]) {
    assert.throws(() => checkManifest(given), { code: 'PITV_PACKAGE_INVALID' });
    assert.equal(validate(given), false);
  }
});
