/** Every rule about system calls, tried by native code in a locked worker. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { constants, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { extent } from '../../support/extent.js';
import { makeStranger, skip } from './helpers.js';
import { RULES } from './raw-calls.js';

const { EPERM, ENOSYS } = os.constants.errno;
const LAST_KNOWN_CALL = 467;
const FUTURE_CALL = 4000;
const X32 = 0x40000000;
/** uretprobe and uprobe of x64. Filters do not see them; outside a probe they end the process with SIGILL. */
const UNFILTERED = [335, 336];

/** System calls that no row of the table may allow, by what they are for. */
const NEVER = {
  sockets: /^(socket|socketpair|connect|bind|listen|accept4?|send\w+|recv\w+|setsockopt)$/,
  processes: /^(clone|v?fork|execve(at)?)$/,
  memory: /^(memfd_\w+|shm\w+|msg\w+|sem\w+|mq_\w+)$/,
  events: /^(io_uring_\w+|inotify_\w+|timer\w+)$/,
  signals: /^(tkill|rt_t?gsigqueueinfo|rt_sigqueueinfo|pidfd_\w+)$/,
  privileges: /^(cap\w+|set\w*[ug]id\w*|sched_set\w+|seccomp|landlock_\w+)$/,
  files: /^(ftruncate\w*|fch\w+|chdir|fallocate|flock|umask|openat2)$/,
};

/**
 * Calls that are allowed with other arguments only: numbers, or names of values. Flags are those of all architectures
 * that pitv supports.
 * @type {[name: string, ...args: (number | 'own' | 'other' | 'fd')[]][]}
 */
const WRONG_ARGUMENTS = [
  ['kill', 'other', 0],
  ['kill', 0, 0],
  ['kill', -1, 0],
  ['tgkill', 'other', 'other', 0],
  ['prlimit64', 'other', 7, 0, 0],
  ['prlimit64', 0, 7, 1, 0], // a pointer to a new limit
  ['prlimit64', 0, 7, 2 ** 40, 0],
  ['setpriority', 0, 0, -1],
  ['setpriority', 0, 'other', 1],
  ['setpriority', 1, 0, 1], // PRIO_PGRP
  ['prctl', 4, 1], // PR_SET_DUMPABLE
  ['prctl', 1, 0], // PR_SET_PDEATHSIG
  ['prctl', 22, 0], // PR_SET_SECCOMP
  ['prctl', 67, 1], // PR_SET_MEMORY_MERGE
  ['fcntl', 0, 8, 'other'], // F_SETOWN
  ['fcntl', 0, 10, 9], // F_SETSIG
  ['fcntl', 0, 15, 0], // F_SETOWN_EX
  ['fcntl', 0, 4, 0o20000], // F_SETFL O_ASYNC
  ['fcntl', 0, 4, constants.O_DIRECT], // F_SETFL
  ['fcntl', 0, 1024, 0], // F_SETLEASE
  ['fcntl', 0, 1031, 0], // F_SETPIPE_SZ
  ['madvise', 0, 4096, 12], // MADV_MERGEABLE
  ['madvise', 0, 4096, 100], // MADV_HWPOISON
  ['ioctl', 0, 0x5412, 0], // TIOCSTI
  ['ioctl', 0, 0x5452, 0], // FIOASYNC
  ['ioctl', 0, 0x8901, 0], // FIOSETOWN
  ['mmap', 0, 4096, 5, 2, 0, 0], // a file as code
  ['mmap', 0, 4096, 1, 2, 0, 0], // a file
  ['mmap', 0, 4096, 1, 1, 0, 0],
  ['mmap', 0, 4096, 3, 0x21, -1, 0], // shared anonymous memory
  ['mmap', 0, 4096, 3, 0x40022, -1, 0], // huge pages
  ['mmap', 0, 4096, 3, 0x122, -1, 0], // memory that grows down
  ['openat', -100, 0, 1, 0], // O_WRONLY
  ['openat', -100, 0, 2, 0], // O_RDWR
  ['openat', -100, 0, 0o100, 0], // O_CREAT
  ['openat', -100, 0, 0o1000, 0], // O_TRUNC
  ['openat', -100, 0, 0o20000000, 0], // O_TMPFILE
  ['openat', -100, 0, constants.O_DIRECT, 0],
  ['open', 0, 1, 0],
  ['open', 0, 0o1000, 0],
];

/** Names that one architecture has instead of another one. @type {Record<string, string>} */
const ON_ARM = { mmap: 'mmap2', fcntl: 'fcntl64' };

test('the table allows no call for sockets, processes, shared memory, signals or privileges', () => {
  const allowed = [...RULES.ALLOW, ...RULES.ALLOW_IF, ...RULES.ABSENT];
  assert.ok(allowed.length > 100);
  for (const [what, pattern] of Object.entries(NEVER)) {
    const wrong = allowed.filter((name) => pattern.test(name));
    assert.deepEqual(wrong, [], what);
  }
});

for (const kind of extent(['zygote'], ['zygote', 'process'])) {
  describe(`system calls of a locked worker of the ${kind} engine`, { skip }, async () => {
    if (skip) return;
    const { test, attempt } = await makeStranger(kind);

    test('fail unless the table allows them', async (engine) => {
      const source = `
        const { rawCall, numbers } = globalThis.raw;
        const known = new Set([...args.unfiltered, ...args.known.map((name) => numbers[name])]);
        const results = {};
        for (let number = 0; number <= args.last; number++) {
          if (!known.has(number)) results[number] = rawCall(number, 0, 0, 0, 0, 0, 0);
        }
        return results;`;
      const known = Object.values(RULES).flat();
      const unfiltered = process.arch === 'x64' ? UNFILTERED : [];
      const args = { known, unfiltered, last: LAST_KNOWN_CALL };
      const { outcomes } = await attempt(engine, { source }, args);
      /** @type {[string, number][]} */
      const results = Object.entries(outcomes.source.value);
      assert.ok(results.length > 200);
      const other = results.filter(([, result]) => result !== -EPERM);
      assert.deepEqual(other, []);
    });

    test('fail with other arguments than those of the table', async (engine, t) => {
      const sibling = spawn('sleep', ['1000']);
      t.after(() => sibling.kill());
      const source = `
        const { rawCall, numbers } = globalThis.raw;
        const values = { other: args.other };
        return args.calls.map(([name, ...given]) =>
          name in numbers ? rawCall(numbers[name], ...given.map((one) => values[one] ?? one)) : args.refused);`;
      const calls = WRONG_ARGUMENTS.map(([name, ...rest]) => [
        process.arch === 'arm' ? (ON_ARM[String(name)] ?? name) : name,
        ...rest,
      ]);
      const args = { calls, other: sibling.pid, refused: -EPERM };
      const { outcomes } = await attempt(engine, { source }, args);
      const wrong = calls.filter((_, i) => outcomes.source.value[i] !== -EPERM);
      assert.deepEqual(wrong, []);
    });

    test('that the table or the kernel does not have fail as on an older kernel', async (engine) => {
      const source = `
        const { rawCall, numbers } = globalThis.raw;
        return args.map((call) => rawCall(numbers[call] ?? call, 0, 0, 0, 0, 0, 0));`;
      const { outcomes } = await attempt(engine, { source }, [...RULES.ABSENT, FUTURE_CALL]);
      assert.deepEqual(outcomes.source.value, [-ENOSYS, -ENOSYS]);
    });

    test('end the worker if it has no business with them', async (engine) => {
      const source = `return globalThis.raw.rawCall(globalThis.raw.numbers[args] ?? args, 0, 0, 0, 0, 0, 0)`;
      const all = [...RULES.KILL, ...(process.arch === 'x64' ? [X32] : [])];
      const calls = kind === 'zygote' ? all : ['ptrace', 'bpf']; // the same filter, and processes start slowly
      for (const call of calls) {
        await assert.rejects(attempt(engine, { source }, call), ({ code, details }) => {
          assert.deepEqual([call, code, details?.signal], [call, 'PITV_WORKER_FAILED', 'SIGSYS']);
          return true;
        });
      }
    });

    test('of another architecture end the worker', async (engine, t) => {
      if (process.arch !== 'x64') return t.skip('this machine has one architecture');
      const source = 'return globalThis.raw.otherArchitecture()';
      await assert.rejects(
        attempt(engine, { source }),
        ({ details }) => details?.signal === 'SIGSYS',
      );
    });

    test('are filtered in all threads, which have no privileges', async (engine) => {
      const { worker } = await attempt(engine, {});
      const tasks = join('/proc', String(worker.pid), 'task');
      const threads = readdirSync(tasks).map((tid) =>
        readFileSync(join(tasks, tid, 'status'), 'utf8'),
      );
      assert.ok(threads.length > 1);
      for (const status of threads) {
        assert.match(status, /^Seccomp:\s+2$/m);
        assert.match(status, /^NoNewPrivs:\s+1$/m);
        if (process.getuid?.() === 0) assert.match(status, /^Uid:(\s+65534){4}$/m);
        for (const set of ['CapEff', 'CapPrm', 'CapInh'])
          assert.match(status, new RegExp(`^${set}:\\s+0+$`, 'm'));
      }
      const descriptors = join('/proc', String(worker.pid), 'fd');
      const rings = readdirSync(descriptors).filter((fd) =>
        readlinkSync(join(descriptors, fd)).includes('io_uring'),
      );
      assert.deepEqual(rings, []);
      const limits = readFileSync(join('/proc', String(worker.pid), 'limits'), 'utf8');
      for (const name of ['core file', 'file', 'msgqueue']) {
        assert.match(limits, new RegExp(`^Max ${name} size\\s+0\\s+0\\s`, 'm'));
      }
      assert.match(limits, /^Max processes\s+0\s+0\s/m);
      assert.match(limits, /^Max locked memory\s+0\s+0\s/m);
      assert.match(limits, /^Max open files\s+64\s+64\s/m);
      assert.match(limits, /^Max data size\s+\d+\s+\d+\s/m);
    });
  });
}
