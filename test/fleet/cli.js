/** `make fleet`: starts three servers and three TVs on this machine, to play with. Ends them at Ctrl-C. */
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';

/** Of the first TV; the others have the next ones. */
const PORT = 8080;

if (missingForFleet) {
  console.error(`fleet: ${missingForFleet}`);
  process.exit(1);
}
const fleet = new LocalFleet({ host: '0.0.0.0', ports: [PORT, PORT + 1, PORT + 2] });
const stop = async () => {
  await fleet.stop();
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
try {
  await fleet.start();
} catch (error) {
  console.error(`fleet: ${error instanceof Error ? error.message : error}`);
  await fleet.stop();
  process.exit(1);
}
fleet.nodes.forEach(({ name, url, tv }, i) => {
  console.log(`${name}  ${url}  TV: process ${tv.pid}, nats-server: ${fleet.servers[i].pid}`);
});
console.log(`
Look at it:  npx pitv fleet status --fleet ${fleet.urls[0]} --fleet-credentials ${fleet.credentials}
Pull a plug: kill -9 ${fleet.nodes[0].tv.pid} ${fleet.servers[0].pid}
Ctrl-C ends all.`);
