/**
 * `node app/engine/zygote/example`: three children of one zygote, each of them a process that is there
 * within milliseconds, although what they know took a while to build.
 */
import { once } from 'node:events';
import { createZygote } from '../index.js';

const SIZE = 200_000;

const began = performance.now();
const zygote = await createZygote(new URL('./module.js', import.meta.url), {
  args: { size: SIZE },
  name: 'example:zygote',
});
console.log(
  `The zygote (${zygote.pid}) was warm after ${(performance.now() - began).toFixed(0)} ms.`,
);

for (const from of [3, 30, 300]) {
  const child = await zygote.fork({ from }, { name: `example:${from}` });
  const [{ pid, answer }] = await once(child, 'message');
  console.log(
    `Child ${pid} was there after ${child.startMs.toFixed(1)} ms: ${from} * ${from} = ${answer}`,
  );
  child.send(from + 1);
  const [more] = await once(child, 'message');
  console.log(`  and ${from + 1} * ${from + 1} = ${more.answer}`);
  child.disconnect();
  const { code, peakKib } = await child.exited;
  console.log(
    `  It ended with ${code}; ${Math.round(peakKib / 1024)} MiB at most, shared ones counted.`,
  );
}
await zygote.close();
