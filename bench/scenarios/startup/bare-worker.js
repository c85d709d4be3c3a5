/**
 * A worker without an engine, in Node.js, Bun and Deno: it loads the job's module, creates the job, reports that it is
 * ready, and steps the job as an engine's worker does. A message without options has it load the module only.
 */
import { parent } from '../../harness/message-parent.js';

const TICK_HZ = 60;

parent.listen(async ({ url, options }) => {
  const { default: module } = await import(url);
  if (!options) return parent.send('loaded');
  const job = await module.start(options);
  const { frameBytes, checkpointBytes } = module.sizes(options);
  const frame = new Uint8Array(frameBytes);
  job.checkpoint(new Uint8Array(checkpointBytes));
  parent.send('ready');
  setInterval(() => {
    job.step(
      () => 0,
      () => 0,
    );
    job.writeFrame(frame);
  }, 1000 / TICK_HZ);
});
