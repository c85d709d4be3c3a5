/** A match in several old browsers, in the current one, and in Firefox and WebKit. */
import test from 'node:test';
import { playMatch, whyMissing } from './old-browsers.js';

for (const version of /** @type {const} */ ([80, 92, 'current', 'firefox', 'webkit'])) {
  const skip = await whyMissing([version]);
  const name = version === 'firefox' || version === 'webkit' ? version : `Chromium ${version}`;
  test(`a screen and a pad in ${name} play a match`, { skip }, (t) =>
    playMatch(t, { screen: version, pad: version }),
  );
}
