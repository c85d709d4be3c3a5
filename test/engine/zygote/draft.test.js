/** The draft: a zygote that forks until the rehearsed one is ready. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { until } from '../helpers.js';
import { childrenOf, isAlive, moduleOf, quiet, spareOf } from './helpers.js';

test('a draft forks until the real zygote is ready, then exits; its children continue', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-draft-'));
  const gate = join(folder, 'gate');
  const module = moduleOf(`import { existsSync } from 'node:fs';
    let warm;
    export { warmUp as warm };
    async function warmUp({ kind, gate }) {
      warm = kind;
      while (gate && !existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    export default (stay, worker) => {
      worker.send(warm);
      if (stay) worker.on('message', () => process.exit(4));
    };`);
  const zygote = await createZygote(module, {
    ...quiet,
    args: { kind: 'real', gate },
    draft: { kind: 'draft' },
  });
  t.after(async () => {
    await zygote.close();
    rmSync(folder, { recursive: true });
  });
  const draft = zygote.pid;
  const early = await zygote.fork(true);
  assert.deepEqual(await once(early, 'message'), ['draft']);
  await until(() => spareOf(draft), 'a spare is forked');
  const spare = Number(spareOf(draft));
  writeFileSync(gate, '');
  await zygote.ready({ thorough: true });
  assert.notEqual(zygote.pid, draft);
  const late = await zygote.fork(false);
  assert.deepEqual(await once(late, 'message'), ['real']);
  await until(() => !isAlive(draft) && !isAlive(spare), 'the draft and its spare are gone');
  assert.ok(isAlive(early.pid));
  early.send('end');
  const { code, orphaned } = await early.exited;
  assert.deepEqual([code, orphaned], [4, true]);
});

test('a late draft does not replace the real zygote', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-draft-'));
  const module = moduleOf(`import { existsSync } from 'node:fs';
    let warm;
    export { warmUp as warm };
    async function warmUp({ kind, gate }) {
      warm = kind;
      while (!existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    export default (_, worker) => worker.send(warm);`);
  const gates = { draft: join(folder, 'draft'), real: join(folder, 'real') };
  writeFileSync(gates.draft, '');
  const others = childrenOf(process.pid);
  const zygote = await createZygote(module, {
    ...quiet,
    args: { kind: 'real', gate: gates.real },
    draft: { kind: 'draft', gate: gates.draft },
  });
  t.after(async () => {
    await zygote.close();
    rmSync(folder, { recursive: true });
  });
  rmSync(gates.draft);
  const died = once(zygote, 'died');
  process.kill(zygote.pid, 'SIGKILL');
  await died; // another draft and the real zygote are being warmed up
  const ready = once(zygote, 'ready');
  writeFileSync(gates.real, '');
  const [{ pid, draft }] = await ready;
  assert.equal(draft, false);
  writeFileSync(gates.draft, '');
  const left = () => childrenOf(process.pid).filter((child) => !others.includes(child));
  await until(() => left().length === 1, 'the late draft is gone');
  assert.deepEqual([zygote.pid, left()], [pid, [pid]]);
  const child = await zygote.fork();
  assert.deepEqual(await once(child, 'message'), ['real']);
});

test('ready({thorough: true}) keeps the main process alive until the real zygote is ready', () => {
  const source = `import { createZygote } from '${new URL('../../../app/engine/zygote/index.js', import.meta.url)}';
    const module = 'data:text/javascript,export default () => {}';
    const zygote = await createZygote(module, { draft: 1, args: 2 });
    await zygote.ready({ thorough: true });
    console.log('ready');`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(out, 'ready\n');
});
