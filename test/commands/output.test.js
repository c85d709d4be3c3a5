import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { writeAtomically } from '../../bench/commands/common/usage.js';
import { replaceFile } from '../../app/commands/common/output.js';
import { runCommands } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { listen } from '../support/http.js';

test('a file of a command is replaced as a whole, or stays as it was', async () => {
  const folder = temporaryFolder({ precious: 'mine' });
  const [file, precious] = [join(folder, 'file'), join(folder, 'precious')];
  symlinkSync(precious, `${file}.part`);
  await replaceFile(file, (path) => writeFile(path, 'first'));
  const failing = replaceFile(file, async (path) => {
    await writeFile(path, 'sec');
    throw new Error('no space');
  });
  await assert.rejects(failing, { code: 'PITV_FILE_UNWRITABLE', message: /no space\.$/ });
  assert.throws(() => writeAtomically(join(folder, 'none', 'file'), 'x'), { code: 'PITV_USAGE' });
  assert.deepEqual(readdirSync(folder), ['file', 'precious']);
  assert.equal(readFileSync(file, 'utf8'), 'first');
  assert.equal(readFileSync(precious, 'utf8'), 'mine');
});

test('a pipe, such as that of a shell, is written to and stays', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = await open(pipe, 'r+');
  const read = async () => String((await reader.read(Buffer.alloc(64))).buffer).replace(/\0+$/, '');
  await replaceFile(pipe, (path) => writeFile(path, 'text'));
  assert.equal(await read(), 'text');
  writeAtomically(pipe, 'results');
  assert.equal(await read(), 'results');
  assert.ok(statSync(pipe).isFIFO());
  await reader.close();
});

test('pitv clip says that a server is no TV', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/api/matches') return response.end('<html>');
    response.writeHead(404).end('{"error": "Not found"}');
  });
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  const lines = [[], ['--match', '7']].map((more) => ['clip', '--url', url, ...more]);
  for (const { status, stderr } of await runCommands(lines)) {
    assert.deepEqual([status, stderr], [1, `pitv: The server at ${url} is not a TV.\n`]);
  }
});
