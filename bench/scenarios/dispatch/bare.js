/** Sends each message back, in a thread or in a process, without a library. */
import { parent } from '../../harness/message-parent.js';

parent.listen((message) => parent.send(message));
