import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import test from 'node:test';
import {
  memoryOf,
  memoryOfSync,
  memoryOfTree,
  parseMemory,
  sumMemory,
} from '../../app/process/memory-account.js';
import { processTree } from '../../app/process/process-tree.js';

const KIB_PER_MIB = 1024;
/** The interpreter and its fork also write to memory of their own. */
const TOLERANCE_KIB = 1024;
const hasPython = spawnSync('python3', ['-c', '']).status === 0;

/** Takes the next step at each line of its input: allocates, or forks a child that writes. */
const ALLOCATOR = `
import mmap, os, sys
MIB = 1 << 20
def step():
    print('done', flush=True)
    sys.stdin.readline()
def write(memory, mib):
    for at in range(0, mib * MIB, 4096):
        memory[at] = 1
step()
private = mmap.mmap(-1, 8 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
write(private, 8)
step()
shared = mmap.mmap(-1, 4 * MIB)
write(shared, 4)
step()
file = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 6 * MIB, access=mmap.ACCESS_COPY)
sum(file[at] for at in range(0, 6 * MIB, 4096))
step()
write(file, 2)
step()
here, there = os.pipe()
if os.fork() == 0:
    os.read(here, 1)
    write(private, 6)
    print('done', flush=True)
    os.read(here, 1)
    os._exit(0)
step()
os.write(there, b'1')
sys.stdin.readline()
`;

/** Returns the program of Node.js, or its library where the program is small, as in Debian. */
function largestMappedFile() {
  const paths = readFileSync('/proc/self/maps', 'latin1').match(
    /(?<=\s)\/\S*\/(node|libnode\S*)$/gm,
  );
  const files = [process.execPath, ...(paths ?? [])];
  const [largest = ''] = files.sort((a, b) => statSync(b).size - statSync(a).size);
  return largest;
}

test(
  'memory of known kinds and amounts is counted as what it is',
  { skip: !hasPython && 'python3 is not installed' },
  async (t) => {
    const child = spawn('python3', ['-c', ALLOCATOR, largestMappedFile()], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => processTree(pid).forEach((one) => process.kill(one, 'SIGKILL')));
    const pid = Number(child.pid);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    /** Lets the child take a step. @returns growth of the whole tree since the last step, MiB */
    const step = async () => {
      child.stdin.write('\n');
      assert.equal((await lines.next()).value, 'done');
      const { total } = await memoryOfTree(pid);
      const growth = (/** @type {keyof typeof total} */ name) =>
        (total[name] - before[name]) / KIB_PER_MIB;
      const grown = {
        unreclaimable: growth('unreclaimableKib'),
        anonymous: growth('anonymousKib'),
        shmem: growth('shmemKib'),
        file: growth('fileKib'),
        pss: growth('pssKib'),
        uss: growth('ussKib'),
      };
      before = total;
      return grown;
    };
    /** @param {number} actual MiB @param {number} expected MiB @param {string} what */
    const near = (actual, expected, what) => {
      const distance = Math.abs(actual - expected) * KIB_PER_MIB;
      assert.ok(distance < TOLERANCE_KIB, `${what}: ${actual} MiB, not ${expected}`);
    };
    assert.equal((await lines.next()).value, 'done');
    let { total: before } = await memoryOfTree(pid);

    const anonymous = await step();
    near(anonymous.unreclaimable, 8, 'anonymous memory');
    near(anonymous.anonymous, 8, 'as anonymous');
    near(anonymous.pss, 8, 'its PSS');
    near(anonymous.uss, 8, 'its USS');

    const shared = await step();
    near(shared.unreclaimable, 4, 'shared memory');
    near(shared.shmem, 4, 'as shared');

    const clean = await step();
    near(clean.unreclaimable, 0, 'pages of a file that were only read');
    assert.ok(clean.file > 0, 'they are counted as a file’s');

    const written = await step();
    near(written.unreclaimable, 2, 'pages of a private mapping that were written to');
    assert.ok(written.file < 0, 'they no longer count as a file’s');

    const forked = await step();
    near(forked.unreclaimable, 0, 'a fork that shares all of it');
    assert.equal((await memoryOfTree(pid)).processes.length, 2);

    const copied = await step();
    near(copied.unreclaimable, 6, 'what a fork has written to');
  },
);

test('the kinds add up to the PSS', async () => {
  const memory = await memoryOf(process.pid);
  assert.ok(memory);
  const { anonymousKib, shmemKib, fileKib, unreclaimableKib, pssKib, ussKib, rssKib } = memory;
  assert.equal(unreclaimableKib, anonymousKib + shmemKib);
  // The kernel rounds each of them down.
  assert.ok(Math.abs(unreclaimableKib + fileKib - pssKib) <= 4, JSON.stringify(memory));
  assert.ok(ussKib > 0 && ussKib <= pssKib && pssKib <= rssKib, JSON.stringify(memory));
});

test('a tree is this process and those below it, and its total is their sum', async (t) => {
  const child = spawn('sleep', ['60']);
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const { total, processes } = await memoryOfTree();
  assert.deepEqual(
    processes.map(({ pid }) => pid).filter((pid) => pid === process.pid || pid === child.pid),
    [process.pid, child.pid],
  );
  assert.deepEqual(total, sumMemory(processes.map(({ memory }) => memory)));
});

test('a process that has ended counts nothing', async () => {
  const { pid } = spawnSync('true');
  assert.equal(await memoryOf(pid), undefined);
  assert.deepEqual((await memoryOfTree(pid)).processes, []);
  assert.equal(memoryOfSync([pid]).pssKib, 0);
});

test('the mappings of smaps are added up', () => {
  const mapping = (/** @type {number} */ kib) => `7f00-7f01 rw-p 00000000 00:00 0
Size:  400 kB
Rss:   ${kib} kB
Pss:   ${kib} kB
Private_Dirty:   ${kib} kB
Private_Clean:   1 kB
THPeligible:  0
VmFlags: rd wr mr
`;
  const { rssKib, pssKib, ussKib } = parseMemory(mapping(20) + mapping(3));
  assert.deepEqual([rssKib, pssKib, ussKib], [23, 23, 25]);
});

test('figures that an old kernel does not report are not 0', () => {
  const old = parseMemory(
    'Rss:  20 kB\nPss:   12 kB\nPrivate_Clean:   3 kB\nPrivate_Dirty:   4 kB\n',
  );
  assert.equal(old.pssKib, 12);
  assert.equal(old.ussKib, 7);
  for (const name of /** @type {const} */ (['unreclaimableKib', 'fileKib', 'mergedKib'])) {
    assert.ok(Number.isNaN(old[name]), name);
    assert.ok(Number.isNaN(sumMemory([old, old])[name]), `${name} in a sum`);
  }
});
