/** Reads facts about this machine for the results. */
import { existsSync } from 'node:fs';
import os from 'node:os';
import { readText } from '../../app/process/process-tree.js';
import { power, temperature, throttledBits } from '../../app/system/board.js';

const KSM = '/sys/kernel/mm/ksm';
const KSM_SETTINGS = ['run', 'pages_to_scan', 'sleep_millisecs', 'max_page_sharing', 'smart_scan'];

/** Reads the facts that do not change during a run. */
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
    aslr: addressRandomization(),
    governor: read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
    // An emulated Pi cannot be recognised, so bench/board/run.js sets the variable.
    virtual: process.env.PITV_BENCH_VIRTUAL || virtualMachine(status),
    swapKib: memory('SwapTotal'),
    ksm: ksmSettings(),
  };
}

/** Reads the facts that may change during a run. Results have them from before and after it. */
export async function passingFacts() {
  const [load] = os.loadavg();
  const flags = await power();
  const frequency = numberOf(read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq'));
  return {
    load: Number(load.toFixed(2)),
    temperature: (await temperature()) ?? null,
    megahertz: frequency === null ? null : frequency / 1000,
    throttled: flags ? throttledBits(flags) : null, // only a Pi has flags
    freeKib: memory('MemAvailable'),
    swapUsedKib: (memory('SwapTotal') ?? 0) - (memory('SwapFree') ?? 0),
  };
}

/** Reads a file, without the whitespace and zero bytes around its text. @param {string} path */
const read = (path) => readText(path)?.replace(/^[\0\s]+|[\0\s]+$/g, '') ?? null;

/** @param {string | null} text */
const numberOf = (text) => (text === null || text === '' ? null : Number(text));

/** Returns the word in brackets, as in `always [madvise] never`. @param {string | null} text */
const chosen = (text) => text?.match(/\[(\w+)\]/)?.[1] ?? null;

/** @param {string} text @param {string} name @returns {string | null} */
const fieldOf = (text, name) => text.match(new RegExp(`^${name}\\s*:\\s*(.+)$`, 'm'))?.[1] ?? null;

/** Reads a line of /proc/meminfo. @param {string} name @returns {number | null} KiB */
function memory(name) {
  return numberOf(fieldOf(read('/proc/meminfo') ?? '', name)?.split(' ')[0] ?? null);
}

function pageSize() {
  const found = fieldOf(read('/proc/self/smaps') ?? '', 'KernelPageSize')?.split(' ')[0];
  return found ? Number(found) * 1024 : null;
}

/** Disables address randomization (personality(2)). */
const ADDR_NO_RANDOMIZE = 0x0040000;

/**
 * Reads the kernel's setting of address space layout randomization (ASLR), as it applies to this process.
 * @returns {number | null} 2: on; 1: not for the heap; 0: off, by the setting or for this process (`setarch -R`)
 */
function addressRandomization() {
  const personality = parseInt(read('/proc/self/personality') ?? '0', 16);
  if (personality & ADDR_NO_RANDOMIZE) return 0;
  return numberOf(read('/proc/sys/kernel/randomize_va_space'));
}

/**
 * Recognises virtual machines.
 * @param {string} cpuinfo @returns {string | null} the kind; null if none is recognised
 */
function virtualMachine(cpuinfo) {
  const product = read('/sys/class/dmi/id/product_name') ?? read('/sys/class/dmi/id/sys_vendor');
  const known = product?.match(/qemu|kvm|virtualbox|vmware|standard pc|virtual/i)?.[0];
  if (known) return product;
  if (/linux,dummy-virt/.test(read('/proc/device-tree/compatible') ?? '')) return 'QEMU virt';
  if (/^flags\s*:.*\bhypervisor\b/m.test(cpuinfo)) return 'a hypervisor';
  return null;
}

/** Reads the settings of KSM. @returns {Record<string, number | string> | null} null: this kernel has no KSM */
function ksmSettings() {
  if (!existsSync(`${KSM}/run`)) return null;
  return Object.fromEntries(
    KSM_SETTINGS.flatMap((name) => {
      const value = read(`${KSM}/${name}`);
      return value === null ? [] : [[name, Number(value)]];
    }),
  );
}
