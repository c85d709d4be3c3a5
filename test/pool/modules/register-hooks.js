/** Is loaded by --import. Registers module hooks, which run in a thread. */
import { register } from 'node:module';

register('./module-hooks.js', import.meta.url);
