/** A job that runs pieces of source code before its first tick. Its frames contain what came of them, as JSON. */
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

export const sizes = { inputSlots: 1, frameBytes: 64 * 1024, checkpointBytes: 0 };

/** @param {string} source @param {unknown} args */
async function run(source, args) {
  try {
    return { value: await new AsyncFunction('args', source)(args) };
  } catch (error) {
    const { code, message } = /** @type {{code?: string, message: string}} */ (error);
    return { error: code ?? message };
  }
}

export default {
  /** @param {{sources: Record<string, string>, args: unknown}} options */
  async start({ sources, args }) {
    /** @type {Record<string, unknown>} */
    const outcomes = {};
    for (const [name, source] of Object.entries(sources)) outcomes[name] = await run(source, args);
    const bytes = Buffer.from(JSON.stringify(outcomes));
    return {
      done: false,
      step() {},
      /** @param {Uint8Array} target */
      writeFrame(target) {
        target.set(bytes);
        return bytes.length;
      },
    };
  },
};
