/**
 * Boots three cards of a fleet on QEMU's `virt`, joined by a network of QEMU. One of them loses its power, and its
 * match goes on at another one. `make test-fleet-cards` runs it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createUser } from '@nats-io/nkeys';
import { Disk } from '../../../image/qemu/disk.js';
import { freePort } from '../../../bench/harness/free-ports.js';
import { Machine } from '../../../image/qemu/machine.js';
import { SLOW_CLOCK } from '../../../image/qemu/machines.js';
import { words } from '../../../image/sd/shell.js';
import { BOOT_MS, Client, TV_PORT, Tv, cardFor, eventually, logOf } from './board.js';

const COUNT = 3;
const HOSTS = Array.from({ length: COUNT }, (_, i) => `10.79.1.${11 + i}`);
/** The emulated boards are slow, and slower while one of them starts. */
const WAIT_MS = 10 * 60_000;

const { file, why } = await cardFor('armhf', { fleet: true });

describe('a fleet of three cards', { skip: why }, () => {
  /** @type {Disk[]} */
  const disks = [];
  /** @type {Tv[]} */
  const tvs = [];
  const key = Buffer.from(createUser().getSeed()).toString();

  before(async () => {
    const port = await freePort();
    for (let i = 0; i < COUNT; i++) disks.push(await Disk.copyOf(file));
    await Promise.all(disks.map((disk, i) => boot(disk, i, port)));
  });
  after(async () => {
    for (const { machine } of tvs) await machine.close();
    for (const disk of disks) await disk.remove();
  });

  /**
   * Boots a board with a second network card for the fleet.
   * @param {Disk} disk @param {number} i @param {number} port of the network between the boards
   */
  async function boot(disk, i, port) {
    const settings = { hostname: `tv${i + 1}`, fleet: HOSTS.join(' '), 'fleet-key': key };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    await disk.write('pitv.txt', lines.join(''));
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
      append: ['systemd.setenv=PITV_MAX_MATCHES=2'],
    });
    tvs[i] = new Tv(machine);
    const network = `[Match]\\nMACAddress=${mac}\\n[Network]\\nAddress=${HOSTS[i]}/24\\n`;
    // networkctl needs D-Bus, which may not run yet.
    await machine.run(
      `mkdir -p /run/systemd/network && printf '${network}' >/run/systemd/network/10-fleet.network; systemctl try-restart systemd-networkd`,
      { timeoutMs: BOOT_MS },
    );
    await tvs[i].answers(WAIT_MS);
  }

  /** Waits until a TV knows so many nodes. @param {Tv} tv @param {number} count */
  async function nodesAre(tv, count) {
    const isComplete = async () => {
      const { cutOff, nodes } = await fleetOf(tv);
      return !cutOff && nodes.filter((/** @type {any} */ node) => node.alive).length === count;
    };
    await eventually(isComplete, `${count} nodes`);
  }

  /** @param {Tv} tv */
  async function fleetOf(tv) {
    const token = (await tv.sh('cat /data/pitv/admin-token')).trim();
    const response = await fetch(`${tv.url}/api/fleet`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(60_000),
    });
    return response.json();
  }

  test('the cards find each other: one lobby with one join code', async () => {
    for (const tv of tvs) assert.equal(await tv.complaints(), '');
    for (const tv of tvs) await nodesAre(tv, COUNT);
    const screens = await Promise.all(tvs.map((tv) => Client.screen(tv)));
    const codes = new Set();
    for (const screen of screens)
      codes.add((await screen.wait('lobby', undefined, 0, WAIT_MS)).code);
    assert.equal(codes.size, 1);
    for (const screen of screens) screen.vanish();
  });

  test('a board loses its power, and its match goes on at another one', async () => {
    const screens = await Promise.all(tvs.map((tv) => Client.screen(tv)));
    const { code } = await screens[0].wait('lobby', undefined, 0, WAIT_MS);
    const pad = await Client.pad(tvs[1], { code, name: 'Ann' });
    await screens[0].wait('lobby', ({ players }) => players.length > 0, 0, WAIT_MS);
    screens[0].send({ t: 'start', game: 'bumper' });
    const { match } = await pad.wait('match', undefined, 0, WAIT_MS);
    for (const screen of screens) await screen.nextFrame(performance.now(), WAIT_MS);
    const { matches } = await fleetOf(tvs[1]);
    const { node } = matches.find((/** @type {any} */ { id }) => id === match);
    const owner = Number(node.slice('tv'.length, 'tv1'.length)) - 1;
    const rest = tvs.filter((_, i) => i !== owner);
    const began = performance.now();
    await tvs[owner].machine.cut();
    const watching = screens.filter((_, i) => i !== owner);
    for (const screen of watching) await screen.nextFrame(began + 5000, WAIT_MS);
    const next = (await fleetOf(rest[0])).matches.find((/** @type {any} */ { id }) => id === match);
    assert.notEqual(next.node, node);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`# ${match} moved from ${node} to ${next.node} within ${seconds} s here`);
    for (const tv of rest) await nodesAre(tv, COUNT - 1);
    for (const client of [...screens, pad]) client.vanish();
  });
});
