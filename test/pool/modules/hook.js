/** Is loaded by --import, before the program and before each worker. */
Object.assign(globalThis, { hooked: true });
