/** Settings of `make mutate ROOM=...`: Stryker changes the code of a room of app/, and runs the tests of that room. */
import { existsSync } from 'node:fs';

const { ROOM = 'limits' } = process.env;
const tests = [`test/${ROOM}`, `test/${ROOM.split('/')[0]}`].find((folder) => existsSync(folder));

export default {
  mutate: [`app/${ROOM}/**/*.js`],
  testRunner: 'command',
  commandRunner: {
    command: `node --test $(find ${tests} -name '*.test.js' -not -name '*.long.test.js')`,
  },
  ignorePatterns: ['.cache', 'image/out', 'build/npm', 'test/output'],
  tsconfigFile: 'none', // a program is not compiled
  concurrency: 1,
  reporters: ['clear-text'],
  clearTextReporter: { reportTests: false },
  tempDirName: '.cache/stryker',
  cleanTempDir: 'always',
};
