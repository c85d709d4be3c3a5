/** A TV whose system reports an access point, in the loopback network 127.0.0.0/24. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTv, temporaryFolder, until } from './tv.js';

export const ACCESS_POINT = {
  phase: 'open',
  name: 'pitv-setup',
  password: 'abcdefgh23',
  address: '127.0.0.1',
  problem: '',
};

/** Returns a part of the output of `iw scan`. @param {string} name @param {number} dbm @param {string} [more] */
export const station = (name, dbm, more = '') => `BSS 02:00:00:00:02:00(on wlan0)
\tlast seen: 88.156s [boottime]
\tfreq: 2462.0
\tbeacon interval: 100 TUs
\tcapability: ESS ShortSlotTime (0x0401)
\tsignal: ${dbm.toFixed(2)} dBm
\tSSID: ${name}
\tSupported rates: 1.0* 2.0* 5.5* 11.0*
${more}`;
export const RSN = '\tRSN:\t * Version: 1\n\t\t * Group cipher: CCMP\n';

/** Starts the TV. Its access point opens with the first report. @param {import('node:test').TestContext} t */
export async function startWithAccessPoint(t) {
  const [runtimeDir, wifiDir] = [temporaryFolder(), temporaryFolder()];
  const dirs = ['--runtime-dir', runtimeDir, '--wifi-dir', wifiDir];
  const args = ['--engine', 'thread', '--host', '0.0.0.0', ...dirs];
  const tv = await startTv(t, { args });
  /** Reports as the system does. @param {Partial<typeof ACCESS_POINT>} changes */
  const report = async (changes) => {
    const state = { ...ACCESS_POINT, ...changes };
    const lines = Object.entries(state).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(wifiDir, 'state.new'), lines.join(''));
    await rename(join(wifiDir, 'state.new'), join(wifiDir, 'state'));
    const { wifiSetup } = tv.services;
    await until(() => {
      const { phase, problem } = wifiSetup.accessPoint ?? {};
      return phase === state.phase && problem === state.problem;
    }, 'the state');
  };
  return { tv, runtimeDir, wifiDir, report };
}
