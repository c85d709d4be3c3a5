/** A match in several old browsers, and in Firefox and WebKit. */
import test from 'node:test';
import { OLDEST, playMatch, whyMissing } from './old-browsers.js';

for (const version of /** @type {const} */ ([80, 92, 'firefox', 'webkit'])) {
  const skip = whyMissing(version);
  const name = version === 'firefox' || version === 'webkit' ? version : `Chromium ${version}`;
  test(`a screen and a pad in ${name} play a match`, { skip }, (t) => playMatch(t, version));
}

const skip = whyMissing(OLDEST);
test(`a pad in Chromium ${OLDEST} and a screen in the current one play a match`, { skip }, (t) =>
  playMatch(t, 'current', OLDEST),
);
