/** A match in several old browsers, in the current one, and in Firefox and WebKit. */
import test from 'node:test';
import { playMatch, whyMissing } from './old-browsers.js';

for (const version of /** @type {const} */ ([68, 80, 92, 'current'])) {
  const skip = await whyMissing([version]);
  test(`a screen and a pad in Chromium ${version} play a match`, { skip }, (t) =>
    playMatch(t, { screen: version, pad: version }),
  );
}

for (const version of /** @type {const} */ (['firefox', 'webkit'])) {
  const skip = await whyMissing([version]);
  test(`a screen and a pad in ${version} play a match`, { skip }, (t) =>
    playMatch(t, { screen: version, pad: version }),
  );
}
