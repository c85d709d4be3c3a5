/** Sends frames. transports.js starts it in a thread or a process. */
import { connect } from 'node:net';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Mailbox } from '../../../app/engine/mailbox/mailbox.js';
import { native } from '../../../app/native/native.js';

const request = isMainThread ? JSON.parse(process.argv[2]) : workerData;
/** @type {{by: string, bytes: number, hz: number, window: number}} */
const { by, bytes, hz, window } = request;

/** Writes the whole frame, as a game does. @param {Uint8Array} frame */
const draw = (frame) => frame.fill((drawn = (drawn + 1) & 0xff));
let drawn = 0;
/** Number of frames that may be sent before the next acknowledgement. */
let credit = window;

function throughMailbox() {
  const memory = request.memory ?? native().mapMemory(request.fd);
  const mailbox = Mailbox.attach(memory);
  let tick = 0;
  const publish = () => {
    draw(mailbox.frameTarget);
    mailbox.publishFrame(bytes, ++tick);
  };
  if (hz > 0) setInterval(publish, 1000 / hz);
  else for (;;) publish();
}

/** @param {(frame: Buffer) => void} send @param {() => Buffer} target */
function sender(send, target) {
  const one = () => {
    if (credit <= 0) return false;
    credit--;
    const frame = target();
    draw(frame);
    send(frame);
    return true;
  };
  if (hz > 0) setInterval(one, 1000 / hz);
  return (frames = 0) => {
    credit += frames;
    while (hz === 0 && one());
  };
}

const own = Buffer.alloc(bytes);
if (by === 'mailbox') {
  throughMailbox();
} else if (by === 'message') {
  const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
  const go = request.transfer
    ? sender(
        (frame) => port.postMessage(frame, [/** @type {ArrayBuffer} */ (frame.buffer)]),
        () => Buffer.from(new ArrayBuffer(bytes)),
      )
    : sender(
        (frame) => port.postMessage(frame),
        () => own,
      );
  port.on('message', go);
  go();
} else if (by === 'ipc') {
  const go = sender(
    (frame) => process.send?.(frame),
    () => own,
  );
  process.on('message', (frames) => go(Number(frames)));
  go();
} else {
  const socket = connect(request.path);
  // write() keeps its buffer until the kernel has accepted it, so each frame needs a new one.
  const go = sender(
    (frame) => socket.write(frame),
    () => Buffer.allocUnsafe(bytes),
  );
  socket.on('data', (counts) => counts.forEach((frames) => go(frames)));
  socket.on('connect', () => go());
}
