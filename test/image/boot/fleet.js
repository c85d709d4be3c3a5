/**
 * Boots three armhf cards of a fleet on QEMU's `virt`, joined by a network of QEMU: `make test-fleet-cards`. test/fleet
 * tests what a fleet does, also without one of its TVs.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createUser } from '@nats-io/nkeys';
import { Disk } from '../../../image/qemu/disk.js';
import { freePort } from '../../../bench/harness/free-ports.js';
import { SLOW_CLOCK } from '../../../image/qemu/machines.js';
import { words } from '../../../image/sd/shell.js';
import { Machine } from '../../../image/qemu/machine.js';
import { BOOT_MS, TV_PORT, Tv, cardFor, eventually, logOf } from './board.js';
import { waitForHealth } from '../needs.js';

const COUNT = 3;
const HOSTS = Array.from({ length: COUNT }, (_, i) => `10.79.1.${11 + i}`);

const { file, why: skip } = await cardFor('armhf', { fleet: true });

describe('a fleet of three cards', { skip }, () => {
  /** @type {Disk[]} */
  const disks = [];
  /** @type {Tv[]} */
  const tvs = [];
  after(async () => {
    for (const { machine } of tvs) await machine.cut();
    for (const disk of disks) await disk.remove();
  });

  /**
   * Boots a board with a second network card for the fleet.
   * @param {number} i @param {string} settings @param {number} port of the network between the boards
   */
  async function boot(i, settings, port) {
    const disk = await Disk.copyOf(file);
    disks.push(disk);
    await disk.write('pitv.txt', `hostname = tv${i + 1}\n${settings}`);
    const mac = `52:54:00:79:01:1${i + 1}`;
    const machine = await Machine.start(disk, {
      board: 'armhf',
      machine: 'virt',
      ports: [TV_PORT],
      log: logOf(`armhf-fleet-${i + 1}`),
      qemu: [
        ...SLOW_CLOCK,
        ...words`-netdev socket,id=fleet,mcast=230.79.1.1:${port},localaddr=127.0.0.1
          -device virtio-net-device,netdev=fleet,mac=${mac}`,
      ],
    });
    const tv = new Tv(machine);
    tvs.push(tv);
    const network = `[Match]\\nMACAddress=${mac}\\n[Network]\\nAddress=${HOSTS[i]}/24\\n`;
    // networkctl needs D-Bus, which may not run yet.
    await machine.run(
      `mkdir -p /run/systemd/network && printf '${network}' >/run/systemd/network/10-fleet.network; systemctl try-restart systemd-networkd`,
      { timeoutMs: BOOT_MS },
    );
    await waitForHealth(tv.url, BOOT_MS);
  }

  /** @param {Tv} tv */
  async function fleetOf(tv) {
    const token = (await tv.sh('cat /data/pitv/admin-token')).trim();
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${tv.url}/api/fleet`, { headers })).json();
  }

  test('the cards find each other: one lobby with one join code', async () => {
    const key = Buffer.from(createUser().getSeed()).toString();
    const settings = `fleet = ${HOSTS.join(' ')}\nfleet-key = ${key}\n`;
    const port = await freePort();
    await Promise.all(HOSTS.map((_, i) => boot(i, settings, port)));
    const codes = new Set();
    for (const tv of tvs) {
      assert.equal(await tv.complaints(), '');
      await eventually(async () => {
        const { cutOff, nodes } = await fleetOf(tv);
        const alive = nodes.filter((/** @type {any} */ node) => node.alive);
        return !cutOff && alive.length === COUNT;
      }, `${COUNT} nodes`);
      const screen = await tv.screen();
      codes.add(tv.code);
      screen.socket.close();
    }
    assert.equal(codes.size, 1);
  });
});
