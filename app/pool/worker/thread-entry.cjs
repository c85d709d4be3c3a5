/**
 * The file that a thread begins with. It is CommonJS because in a program of `node --input-type=module --eval` Node.js
 * refuses ES modules as files of threads, which inherit that option.
 */
'use strict';

import('./thread-entry.js');
