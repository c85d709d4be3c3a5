/**
 * Receives datagrams on a dgram socket, processes them as a TV does, and answers each message with the number of
 * accepted datagrams: `node worker.js KEY`. In a worker of a cluster, the socket is that of the primary.
 */
import { openDgramReceiver } from './dgram-receiver.js';

const { port, received } = await openDgramReceiver(Buffer.from(process.argv[2], 'hex'));
process.send?.({ port });
process.on('message', () => process.send?.({ accepted: received() }));
process.on('disconnect', () => process.exit(0));
