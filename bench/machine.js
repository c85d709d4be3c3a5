/** Facts about this machine that a reader of the results needs. */
import { readFileSync } from 'node:fs';
import os from 'node:os';

export function machineFacts() {
  const [cpu] = os.cpus();
  return {
    board: read('/proc/device-tree/model'),
    cpu: cpu?.model ?? null,
    cores: os.availableParallelism(),
    memoryKib: Math.round(os.totalmem() / 1024),
    arch: os.arch(),
    kernel: os.release(),
    node: process.version,
    v8: process.versions.v8,
    governor: read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
    loadAverage: os.loadavg(),
  };
}

/** @param {string} path @returns {string | null} */
function read(path) {
  try {
    return readFileSync(path, 'utf8').replace(/[\0\s]+$/, '');
  } catch {
    return null;
  }
}
