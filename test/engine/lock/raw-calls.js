/**
 * Builds and loads the addon of raw-calls.c. Imported in a worker's process by --import, before the process is locked.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CC = process.env.CC ?? 'cc';
const SOURCE = fileURLToPath(new URL('./raw-calls.c', import.meta.url));
const HEADERS = fileURLToPath(
  new URL('../../../node_modules/node-api-headers/include', import.meta.url),
);
const TABLE = new URL('../../../app/native/lock/calls.h', import.meta.url);

export const skip = spawnSync(CC, ['--version']).error ? 'there is no C compiler' : false;

/** The system calls of the table, by kind of rule. */
export const RULES = Object.fromEntries(
  ['ALLOW', 'ALLOW_IF', 'KILL', 'ABSENT'].map((kind) => [kind, namesIn(kind)]),
);

/** @param {string} kind @returns {string[]} */
function namesIn(kind) {
  const table = readFileSync(TABLE, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const names = [...table.matchAll(new RegExp(`\\b${kind}\\((\\w+)`, 'g'))].map(([, name]) => name);
  return [...new Set(names)];
}

/** Has only data: when it is loaded, the dynamic linker calls a function of the C library. */
const NO_CODE = `void abort(void);
__attribute__((used, section(".init_array"))) static void (*const start)(void) = abort;`;

/** Builds the addon. @param {string} folder @returns {string} path of the addon */
export function buildRawCalls(folder) {
  const all = new Set(Object.values(RULES).flat());
  const rows = [...all].map((name) => `#ifdef __NR_${name}\n{"${name}", __NR_${name}},\n#endif\n`);
  writeFileSync(join(folder, 'names.h'), rows.join(''));
  return build(join(folder, 'raw-calls.node'), ['-isystem', HEADERS, '-I', folder, SOURCE]);
}

/** Builds an addon without code. @param {string} folder @returns {string} path of the addon */
export function buildWithoutCode(folder) {
  const source = join(folder, 'no-code.c');
  writeFileSync(source, NO_CODE);
  return build(join(folder, 'no-code.node'), ['-nostdlib', source]);
}

/** Builds a library. @param {string} file @param {string[]} args of the compiler @returns {string} the file */
export function build(file, args) {
  const flags = ['-D_GNU_SOURCE', '-Wall', '-Werror', '-fPIC', '-shared', '-o', file];
  const built = spawnSync(CC, [...flags, ...args], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
  return file;
}

const { PITV_TEST_RAW_CALLS } = process.env;
if (PITV_TEST_RAW_CALLS) {
  Reflect.set(globalThis, 'raw', createRequire(import.meta.url)(PITV_TEST_RAW_CALLS));
}
