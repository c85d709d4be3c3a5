/** Facts about this machine that a reader of the results needs. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';

const KSM = '/sys/kernel/mm/ksm';
const DAMON = '/sys/kernel/mm/damon/admin';
const KSM_SETTINGS = ['run', 'pages_to_scan', 'sleep_millisecs', 'max_page_sharing', 'smart_scan'];

/** What stays as it is during a run. */
export function machineFacts() {
  const [cpu] = os.cpus();
  const status = read('/proc/cpuinfo') ?? '';
  return {
    board: read('/proc/device-tree/model'),
    soc: read('/proc/device-tree/compatible')?.split(/[\0,]/).pop() ?? null,
    cpu: (cpu?.model !== 'unknown' && cpu?.model) || fieldOf(status, 'model name'),
    cores: os.availableParallelism(),
    memoryKib: Math.round(os.totalmem() / 1024),
    arch: os.arch(),
    kernel: os.release(),
    pageSize: pageSize(),
    node: process.version,
    v8: process.versions.v8,
    nodeFlags: [process.env.NODE_OPTIONS, ...process.execArgv].filter(Boolean).join(' '),
    hugePages: chosen(read('/sys/kernel/mm/transparent_hugepage/enabled')),
    aslr: numberOf(read('/proc/sys/kernel/randomize_va_space')),
    governor: read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
    // An emulated Pi does not show itself: who emulates it has to say so (image/qemu/bench.js).
    virtual: process.env.PITV_BENCH_VIRTUAL || virtualMachine(status),
    swapKib: memory('SwapTotal'),
    pageout: pagesOut(),
    ksm: ksmSettings(),
  };
}

/** What may change during a run: told before and after it. */
export function passingFacts() {
  const [load] = os.loadavg();
  return {
    load: Number(load.toFixed(2)),
    temperature: temperature(),
    megahertz: perThousand(read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq')),
    throttled: throttled(),
    freeKib: memory('MemAvailable'),
    swapUsedKib: (memory('SwapTotal') ?? 0) - (memory('SwapFree') ?? 0),
  };
}

/** Without the whitespace and zero bytes around it. @param {string} path @returns {string | null} */
export function read(path) {
  try {
    return readFileSync(path, 'utf8').replace(/^[\0\s]+|[\0\s]+$/g, '');
  } catch {
    return null;
  }
}

/** @param {string | null} text */
const numberOf = (text) => (text === null || text === '' ? null : Number(text));

/** @param {string | null} text thousandths */
const perThousand = (text) => (text === null ? null : Number(text) / 1000);

/** Of `always [madvise] never`, the word in brackets. @param {string | null} text */
const chosen = (text) => text?.match(/\[(\w+)\]/)?.[1] ?? null;

/** @param {string} text @param {string} name @returns {string | null} */
const fieldOf = (text, name) => text.match(new RegExp(`^${name}\\s*:\\s*(.+)$`, 'm'))?.[1] ?? null;

/** @param {string} name a line of /proc/meminfo @returns {number | null} KiB */
function memory(name) {
  return numberOf(fieldOf(read('/proc/meminfo') ?? '', name)?.split(' ')[0] ?? null);
}

function pageSize() {
  const found = fieldOf(read('/proc/self/smaps') ?? '', 'KernelPageSize')?.split(' ')[0];
  return found ? Number(found) * 1024 : null;
}

/** Degrees Celsius of the hottest zone, or null. */
function temperature() {
  const folder = '/sys/class/thermal';
  if (!existsSync(folder)) return null;
  const zones = readdirSync(folder).filter((name) => name.startsWith('thermal_zone'));
  const found = zones.map((zone) => perThousand(read(`${folder}/${zone}/temp`)));
  const known = found.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

/**
 * A Pi's under-voltage and throttling flags: bits 0..3 now, 16..19 since it was switched on
 * (Raspberry Pi documentation, vcgencmd get_throttled). Null where nobody can tell.
 */
function throttled() {
  const soc = '/sys/devices/platform/soc/soc:firmware/get_throttled';
  const text =
    read(soc) ?? (existsSync('/usr/bin/vcgencmd') ? command('vcgencmd', 'get_throttled') : null);
  const hex = text?.match(/(?:0x)?([0-9a-f]+)$/i)?.[1];
  return hex ? parseInt(hex, 16) : null;
}

/** @param {string} program @param {...string} args @returns {string | null} */
function command(program, ...args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', timeout: 5000, stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}

/** @param {string} cpuinfo @returns {string | null} what kind, where it shows */
function virtualMachine(cpuinfo) {
  const product = read('/sys/class/dmi/id/product_name') ?? read('/sys/class/dmi/id/sys_vendor');
  const known = product?.match(/qemu|kvm|virtualbox|vmware|standard pc|virtual/i)?.[0];
  if (known) return product;
  if (/linux,dummy-virt/.test(read('/proc/device-tree/compatible') ?? '')) return 'QEMU virt';
  if (/^flags\s*:.*\bhypervisor\b/m.test(cpuinfo)) return 'a hypervisor';
  return null;
}

/** Does the kernel take memory away that was not used for a while, though none is short (DAMON)? */
function pagesOut() {
  if (read('/sys/module/damon_reclaim/parameters/enabled') === 'Y') return true;
  const found = (/** @type {string} */ folder) => (existsSync(folder) ? readdirSync(folder) : []);
  const monitors = `${DAMON}/kdamonds`;
  return found(monitors).some((one) => {
    if (read(`${monitors}/${one}/state`) !== 'on') return false;
    const contexts = `${monitors}/${one}/contexts`;
    return found(contexts).some((context) =>
      found(`${contexts}/${context}/schemes`).some(
        (scheme) => read(`${contexts}/${context}/schemes/${scheme}/action`) === 'pageout',
      ),
    );
  });
}

/** @returns {Record<string, number | string> | null} null: this kernel has none */
function ksmSettings() {
  if (!existsSync(`${KSM}/run`)) return null;
  return Object.fromEntries(
    KSM_SETTINGS.flatMap((name) => {
      const value = read(`${KSM}/${name}`);
      return value === null ? [] : [[name, Number(value)]];
    }),
  );
}
