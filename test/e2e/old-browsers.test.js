/** A match with a screen in the oldest browser that pitv works with, as on a television, and a current phone. */
import test from 'node:test';
import { OLDEST, openTooOld, playMatch, whyMissing } from './old-browsers.js';

const skip = whyMissing(OLDEST);
const screen = skip ? 'current' : OLDEST;

test(`a screen in Chromium ${screen} and a pad in the current one play a match`, (t) =>
  playMatch(t, screen, 'current'));

test('a browser that is too old opens a page that says so', { skip }, (t) => openTooOld(t, OLDEST));
