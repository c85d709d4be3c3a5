/** Sends each message back, in a thread or in a process, without a library. With `?moves`, buffers are moved. */
import { parent } from '../../harness/message-parent.js';

const moves = new URL(import.meta.url).searchParams.has('moves');

parent.listen((message) => parent.send(message, moves && message ? [message.buffer] : []));
