#!/usr/bin/env node
/**
 * Starts `pitv <command>`. Old versions of Node.js must be able to parse this file, so that it can report that they
 * are too old. It therefore uses no recent syntax, and imports everything else dynamically.
 */
const MIN_NODE_MAJOR = 20;

const version = process.versions.node;
if (Number(version.split('.')[0]) < MIN_NODE_MAJOR) {
  process.stderr.write(
    'pitv: this is Node ' +
      version +
      '; pitv needs Node ' +
      MIN_NODE_MAJOR +
      ' or newer. Install it and start again.\n',
  );
  process.exitCode = 2;
} else {
  const argv = process.argv.slice(2);
  import('./commands/index.js').then(function (commands) {
    return commands.main(argv);
  });
}
