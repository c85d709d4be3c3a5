#!/usr/bin/env node
/**
 * `pitv <command>`. This file stays small and uses no syntax newer than modules and promises: an
 * old Node must be able to read it far enough to say that it is too old. Everything else, and
 * everything that needs a newer Node, is behind the dynamic import.
 */
const NODE_AT_LEAST = 20;

const version = process.versions.node;
if (Number(version.split('.')[0]) < NODE_AT_LEAST) {
  process.stderr.write(
    'pitv: this is Node ' +
      version +
      '; pitv needs Node ' +
      NODE_AT_LEAST +
      ' or newer. Install it and start again.\n',
  );
  process.exitCode = 2;
} else {
  const argv = process.argv.slice(2);
  // First of all: it may have to start this program anew.
  import('./process/io-threads.js')
    .then(function (threads) {
      threads.sizePool(argv);
      return import('./commands/index.js');
    })
    .then(function (commands) {
      return commands.main(argv);
    });
}
