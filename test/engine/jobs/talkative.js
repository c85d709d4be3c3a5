/** A job that writes in its start, in each tick, and much in one of them. In a later tick it does not return. */
export const sizes = { inputSlots: 0, frameBytes: 0, checkpointBytes: 0 };
export const FLOOD = { texts: 2000, chars: 100 };

export default {
  start() {
    process.stdout.write('started\n');
    let ticks = 0;
    return {
      step() {
        ticks++;
        if (ticks === 1) console.error('\u001b[2J%s\nand %o', 'red', { a: 1 });
        if (ticks === 2) {
          for (let i = 0; i < FLOOD.texts; i++) console.log('x'.repeat(FLOOD.chars));
        }
        if (ticks < 3) return;
        for (let i = 0; ; i++) if (i % 1e6 === 0) console.log('a loop');
      },
    };
  },
};
