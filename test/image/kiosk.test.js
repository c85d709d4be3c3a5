/** Tests the parts of a card with a browser that need no such card. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/folders.js';

const SCRIPTS = fileURLToPath(new URL('../../image/kiosk/root/usr/libexec/pitv', import.meta.url));

test('outputs above 1080p get the largest mode that fits', () => {
  const list = `HDMI-A-1 "a television"
  Enabled: yes
  Modes:
    3840x2160 px, 30.000000 Hz (preferred, current)
    1920x1200 px, 60.000000 Hz
    1280x720 px, 60.000000 Hz
    1920x1080 px, 60.000000 Hz
    1920x1080 px, 50.000000 Hz
HDMI-A-2 "a monitor"
  Modes:
    1920x1080 px, 60.000000 Hz
    1280x720 px, 60.000000 Hz (preferred, current)
HDMI-A-3 "without a smaller mode"
  Modes:
    3840x2160 px, 30.000000 Hz (preferred, current)
`;
  const awk = spawnSync('awk', ['-f', join(SCRIPTS, 'large-outputs.awk')], { input: list });
  assert.equal(awk.stdout.toString(), 'HDMI-A-1 1920x1080\n');
});

for (const [compositors, expected] of /** @type {[string[], RegExp][]} */ ([
  [['cage', 'weston'], /^cage -- cog --platform=wl .*127\.0\.0\.1/],
  [['weston'], /^weston --shell=kiosk .*=pixman .* -- cog --platform=wl /],
]))
  test(`of ${compositors.join(' and ')}, the script starts the first one`, async (t) => {
    const folder = temporaryFolder();
    for (const name of compositors)
      writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >"${folder}/started"\n`, {
        mode: 0o755,
      });
    for (const tool of ['sleep', 'readlink'])
      symlinkSync(spawnSync('which', [tool]).stdout.toString().trim(), join(folder, tool));
    const env = { PATH: folder, PITV_SYS: folder, XDG_RUNTIME_DIR: folder };
    // In a group of its own, which also has the script's watch over the browser.
    const options = /** @type {const} */ ({ env, detached: true, stdio: 'ignore' });
    const script = spawn('/bin/sh', [join(SCRIPTS, 'kiosk')], options);
    t.after(() => process.kill(-Number(script.pid)));
    assert.deepEqual(await once(script, 'exit'), [0, null]);
    assert.match(readFileSync(join(folder, 'started'), 'utf8'), expected);
    if (compositors[0] === 'weston')
      assert.match(readFileSync(join(folder, 'weston.ini'), 'utf8'), /mode=1920x1080/);
  });
