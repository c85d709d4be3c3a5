import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pictures = new URL('../../app/clips/render/pictures.js', import.meta.url).href;
const overlay = new URL('../../app/web/screen/overlay.js', import.meta.url).href;

/** Prints a text of a clip, in the process of a renderer. @param {string} [language] */
async function drawText(language) {
  const script = `
    const { defineBrowserGlobals } = await import(${JSON.stringify(pictures)});
    defineBrowserGlobals(undefined, ${JSON.stringify(language)});
    const { pointsText } = await import(${JSON.stringify(overlay)});
    process.stdout.write(pointsText(3));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return stdout;
}

test('the texts in the pictures of a clip are in the language of the TV', async () => {
  assert.equal(await drawText('ko'), '3점');
  assert.equal(await drawText('en'), '3 points');
  assert.equal(await drawText(undefined), '3 points');
});
