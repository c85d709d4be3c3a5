import assert from 'node:assert/strict';
import test from 'node:test';
import {
  identity,
  memory,
  parseIwLink,
  powerFromFiles,
  temperature,
  wifi,
} from '../../app/system/board.js';
import { temporaryFolder } from '../support/folders.js';

test('a Raspberry Pi reports model, temperature, power and memory', async () => {
  const root = temporaryFolder({
    'proc/device-tree/model': 'Raspberry Pi 2 Model B Rev 1.1\0',
    'etc/os-release': 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n',
    'usr/lib/pitv-image/board': 'armhf\n',
    'usr/lib/pitv-image/suites': 'trixie\t2026-11-21\n',
    'proc/meminfo':
      'MemTotal:  948304 kB\nMemAvailable: 700000 kB\nSwapTotal: 474000 kB\nSwapFree: 470000 kB\n',
    'sys/class/thermal/thermal_zone0/type': 'cpu-thermal\n',
    'sys/class/thermal/thermal_zone0/temp': '48312\n',
    'sys/devices/platform/soc/soc:firmware/get_throttled': '50009\n',
    'sys/class/net/eth0/address': '',
    'sys/class/net/wlan0/phy80211/name': 'phy0',
  });
  assert.deepEqual(await identity(root), {
    model: 'Raspberry Pi 2 Model B Rev 1.1',
    board: 'armhf',
    system: 'Debian GNU/Linux 13 (trixie)',
    suites: [{ suite: 'trixie', date: '2026-11-21' }],
  });
  assert.equal(await temperature(root), 48.312);
  assert.equal((await memory(root)).bytes, 948304 * 1024);
  assert.deepEqual(await powerFromFiles(root), {
    underVoltage: { now: true, sinceStart: true },
    frequencyCapped: { now: false, sinceStart: false },
    throttled: { now: false, sinceStart: true },
    tooHot: { now: true, sinceStart: false },
  });
  const [{ interface: wireless }, ...more] = await wifi(root);
  assert.deepEqual([wireless, more], ['wlan0', []]);
});

test('other kernels report under-voltage by a sensor', async () => {
  const root = temporaryFolder({
    'sys/class/hwmon/hwmon0/name': 'cpu_thermal\n',
    'sys/class/hwmon/hwmon1/name': 'rpi_volt\n',
    'sys/class/hwmon/hwmon1/in0_lcrit_alarm': '1\n',
  });
  assert.deepEqual(await powerFromFiles(root), { underVoltage: { now: true, sinceStart: null } });
});

test('a machine that reports nothing is not an error', async () => {
  const root = temporaryFolder({ 'sys/class/thermal/thermal_zone0/temp': 'what' });
  assert.equal(await temperature(root), undefined);
  assert.equal(await powerFromFiles(root), undefined);
  assert.deepEqual(await wifi(root), []);
  assert.equal((await memory(root)).bytes, undefined);
  assert.deepEqual(Object.values(await identity(root)), Array(4).fill(undefined));
});

test('the network and its signal are read from the output of iw', () => {
  const link = 'Connected to 12:34 (on wlan0)\n\tSSID: My Wi-Fi\n\tfreq: 2437\n\tsignal: -52 dBm\n';
  assert.deepEqual(parseIwLink(link), { network: 'My Wi-Fi', signalDbm: -52 });
  for (const [printed, network] of Object.entries({
    '\\xed\\x95\\x9c Wi-Fi': '한 Wi-Fi',
    'a\\x5cx41': 'a\\x41',
    '\\xff': '\\xff',
    '\\xe2\\x80\\xaeb': '\\xe2\\x80\\xaeb',
  }))
    assert.equal(parseIwLink(`\tSSID: ${printed}\n`).network, network);
  assert.deepEqual(parseIwLink('Not connected.\n'), { network: undefined, signalDbm: undefined });
});
