/** A match in the oldest browsers that pitv works with. */
import test from 'node:test';
import { openTooOld, playMatch, whyMissing } from './old-browsers.js';

const versions = /** @type {const} */ ({ screen: 68, pad: 80 });
const skip = await whyMissing([versions.screen, versions.pad]);

test('a screen in Chromium 68 and a pad in Chromium 80 play a match', { skip }, (t) =>
  playMatch(t, versions),
);

test('a browser that is too old opens a page that says so', { skip }, (t) => openTooOld(t, 68));
