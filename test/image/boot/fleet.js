/**
 * Boots three armhf cards of a fleet on QEMU's `virt`, joined by a network of QEMU: `make test-fleet-cards`. test/fleet
 * tests what a fleet does, also without one of its TVs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUser } from '@nats-io/nkeys';
import { Disk } from '../../../image/qemu/disk.js';
import { freePort } from '../../../bench/harness/free-ports.js';
import { words } from '../../../image/sd/shell.js';
import { Machine } from '../../../image/qemu/machine.js';
import { Tv, cardFor, eventually, logOf } from './board.js';
import { waitForHealth } from '../needs.js';

const HOSTS = ['10.79.1.11', '10.79.1.12', '10.79.1.13'];
const { file, why: skip } = await cardFor('armhf', { fleet: true });

test(
  'three cards of a fleet find each other: one lobby with one join code',
  { skip },
  async (t) => {
    const key = Buffer.from(createUser().getSeed()).toString();
    const port = await freePort(); // of the network between the boards
    /** Boots a board with a second network card for the fleet. @param {string} host its address @param {number} i */
    async function boot(host, i) {
      const disk = await Disk.copyOf(file);
      t.after(() => disk.remove());
      const fleet = `fleet = ${HOSTS.join(' ')}\nfleet-key = ${key}\n`;
      await disk.write('pitv.txt', `hostname = tv${i + 1}\n${fleet}`);
      const mac = `52:54:00:79:01:1${i + 1}`;
      const machine = await Machine.start(disk, {
        board: 'armhf',
        machine: 'virt',
        log: logOf(`armhf-fleet-${i + 1}`),
        counting: true,
        qemu: words`-netdev socket,id=fleet,mcast=230.79.1.1:${port},localaddr=127.0.0.1
          -device virtio-net-device,netdev=fleet,mac=${mac}`,
      });
      t.after(() => machine.cut());
      const tv = new Tv(machine);
      const network = `[Match]\\nMACAddress=${mac}\\n[Network]\\nAddress=${host}/24\\n`;
      // networkctl needs D-Bus, which may not run yet.
      await tv.sh(
        `mkdir -p /run/systemd/network && printf '${network}' >/run/systemd/network/10-fleet.network; systemctl try-restart systemd-networkd`,
      );
      await waitForHealth(tv.url);
      return tv;
    }

    const codes = new Set();
    for (const tv of await Promise.all(HOSTS.map(boot))) {
      assert.equal(await tv.complaints(), '');
      const token = (await tv.sh('cat /data/pitv/admin-token')).trim();
      const headers = { authorization: `Bearer ${token}` };
      const isWhole = async () => {
        const { cutOff, nodes } = await (await fetch(`${tv.url}/api/fleet`, { headers })).json();
        const alive = nodes.filter((/** @type {any} */ node) => node.alive);
        return !cutOff && alive.length === HOSTS.length;
      };
      await eventually(isWhole, 'the whole fleet');
      const screen = await tv.screen();
      codes.add(tv.code);
      screen.socket.close();
    }
    assert.equal(codes.size, 1);
  },
);
