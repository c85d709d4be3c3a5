/**
 * A program with cluster workers of its own that also uses the process engine. Prints its events of
 * node:cluster as JSON. Its cluster workers run this file too.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../../app/engine/index.js';
import { sizes } from './count.js';

const EVENTS = ['fork', 'online', 'listening', 'message', 'disconnect', 'exit', 'setup'];
const JOB = new URL('./count.js', import.meta.url);

if (cluster.isPrimary) await main();
else process.send?.(`${process.argv[2]} by ${fileURLToPath(import.meta.url)}`);

async function main() {
  const [mode] = process.argv.slice(2);
  /** @type {string[]} */
  const seen = [];
  for (const event of EVENTS) {
    cluster.on(event, (about) => seen.push(event === 'setup' ? event : `${event} ${about.id}`));
  }
  if (mode === 'configured') cluster.setupPrimary({ args: ['configured'], silent: true });
  const settings = { ...cluster.settings };
  const engine = await createEngine('process', { maxWorkers: 4 });
  const first = await engine.start(JOB, { sizes });
  const second = await engine.start(JOB, { sizes });
  const others = Object.keys(cluster.workers ?? {});
  const same = JSON.stringify(settings) === JSON.stringify(cluster.settings);

  const own = cluster.fork();
  const [message] = await once(own, 'message');
  const listed = Object.values(cluster.workers ?? {}).map((worker) => worker === own);
  await first.stop();
  process.kill(second.pid, 'SIGKILL');
  await second.exited;
  const exited = once(cluster, 'exit');
  await new Promise((resolve) => cluster.disconnect(() => resolve(undefined)));
  await exited;
  await engine.close();
  const mine = seen.filter((event) => event !== 'setup' && !event.endsWith(` ${own.id}`));
  const setups = seen.filter((event) => event === 'setup').length;
  console.log(JSON.stringify({ message, others, same, listed, strange: mine, setups, seen }));
}
