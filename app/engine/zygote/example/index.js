/**
 * Forks three children of one zygote. Each is a process that starts within milliseconds, although the dictionary that
 * it uses took longer to build. Run it with `node app/engine/zygote/example`.
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
  `The zygote (${zygote.pid}) was ready after ${(performance.now() - began).toFixed(0)} ms.`,
);

for (const from of [3, 30, 300]) {
  const child = await zygote.fork({ from }, { name: `example:${from}` });
  const [{ pid, answer }] = await once(child, 'message');
  console.log(
    `Child ${pid} started within ${child.startMs.toFixed(1)} ms: ${from} * ${from} = ${answer}`,
  );
  child.send(from + 1);
  const [more] = await once(child, 'message');
  console.log(`  and ${from + 1} * ${from + 1} = ${more.answer}`);
  child.disconnect();
  const { code, peakKib } = await child.exited;
  console.log(
    `  It ended with ${code}. It used up to ${Math.round(peakKib / 1024)} MiB, including shared memory.`,
  );
}
await zygote.close();
