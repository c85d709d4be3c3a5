/** A match in the oldest browser that pitv works with. */
import test from 'node:test';
import { openTooOld, playMatch, whyMissing } from './old-browsers.js';

const OLDEST = 68;
const skip = await whyMissing([OLDEST]);

test(`a screen and a pad in Chromium ${OLDEST} play a match`, { skip }, (t) =>
  playMatch(t, { screen: OLDEST, pad: OLDEST }),
);

test('a browser that is too old opens a page that says so', { skip }, (t) => openTooOld(t, OLDEST));
