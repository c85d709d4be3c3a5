/**
 * Receives datagrams on a dgram socket, processes them as a TV does, and answers each message with the number of
 * datagrams: `node worker.js '{"port", "reusePort", "key"}'`. In a worker of a cluster, the socket is that of the
 * primary.
 */
import { OUTCOME } from '../../../app/udp/outcomes.js';
import { openDgramReceiver } from './dgram-receiver.js';
import { seatPads } from './pads.js';

const { port, reusePort, key } = JSON.parse(process.argv[2]);
const receiver = await openDgramReceiver({ port, reusePort });
const { table, outcomes } = receiver;
seatPads(table, Buffer.from(key, 'hex'));
process.send?.({ port: receiver.port });
process.on('message', () => {
  const all = outcomes.reduce((a, b) => a + b, 0);
  process.send?.({ accepted: outcomes[OUTCOME.accepted], all });
});
process.on('disconnect', () => process.exit(0));
