/** Pools in programs that start in different ways. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ENGINES, moduleUrl } from './helpers.js';

for (const [name, options] of Object.entries(ENGINES)) {
  describe(name, () => {
    /**
     * Runs code in which `open(options)` creates a pool, as `node --eval`.
     * @param {string} code the body of an async function @param {string[]} [execArgv]
     * @returns {Promise<{stdout: string, stderr: string}>}
     */
    const run = (code, execArgv = []) => {
      const program = `import('${moduleUrl('program.js')}')`;
      const args = [...execArgv, '--eval', program, '--', JSON.stringify(options), code];
      return promisify(execFile)(process.execPath, args);
    };

    test('workers inherit the options of Node.js', async () => {
      const code = `const pool = open();
        console.log(await pool.run(0, { name: 'hooked' }));
        await pool.close();`;
      const { stdout } = await run(code, ['--import', moduleUrl('hook.js').href]);
      assert.equal(stdout, 'true\n');
    });

    test('workers import modules while module hooks are registered', async () => {
      const code = `const pool = open();
        console.log(await pool.run(0, { name: 'importLate' }));
        await pool.close();`;
      const { stdout, stderr } = await run(code, ['--import', moduleUrl('register-hooks.js').href]);
      assert.equal(stdout, '2\n');
      assert.equal(/PITV_ZYGOTE_HOOKS/.test(stderr), name === 'zygote');
    });
  });
}
