/**
 * Loads packages that are CommonJS modules. `import` loads them too, but first parses each of their files for the names
 * of its exports, and compiles it to find out its format. The TV's packages take a third more CPU time that way, and 1
 * MiB more memory (Node.js 20, x64). `import` of node:http calls its getters for all exports, and so loads the client
 * of fetch() in Node.js 24 and 26: 1.7 MiB.
 */
import { createRequire } from 'node:module';

export const require = createRequire(import.meta.url);
