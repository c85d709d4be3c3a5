/** A child that is the first to instantiate a WebAssembly module, as soon as Node's platform has its threads. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** @param {unknown} _ @param {import('../../../../app/engine/zygote/inside/worker.js').Worker} worker */
export default async function main(_, worker) {
  await undefined; // the threads are started when the first part of this function has run
  new WebAssembly.Instance(new WebAssembly.Module(EMPTY_MODULE)); // posts a delayed task to the scheduler
  worker.send('instantiated');
}
