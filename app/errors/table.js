/**
 * Lists all error codes, each with one sentence for the problem and one for the remedy. `make docs` generates the table
 * in docs/operations.md from this one. The messages of errors add the details.
 */

/**
 * @typedef {object} ErrorRow
 * @property {string} problem @property {string} remedy
 * @property {number} [status] status of the HTTP response; 500 by default
 * @property {number} [exit] exit status of a command that fails with this error; 1 by default
 */

// One line per row.
// prettier-ignore
export const ERRORS = Object.freeze(/** @satisfies {Record<string, ErrorRow>} */ ({
  // Commands and settings
  PITV_USAGE: { exit: 2, problem: 'A command, an option or its value is wrong.', remedy: 'Run the command with `--help`.' },
  PITV_OPTION_INVALID: { status: 400, problem: 'An option of a game or a function is unknown, or its value is out of range.', remedy: 'Use a value that the message allows.' },
  PITV_CANCELLED: { problem: 'A prompt was cancelled.', remedy: 'Run the command again; nothing was changed.' },
  PITV_FILE_UNWRITABLE: { problem: 'The output file cannot be written.', remedy: 'Choose another path, or free space on the disk.' },
  PITV_TV_AWAY: { problem: 'No TV answers at the address.', remedy: 'Start one with `pitv serve`, or give its address with `--url`.' },
  PITV_SAVED_INVALID: { problem: 'A saved file cannot be used.', remedy: 'None needed: the file is renamed to `NAME.bad-N`, and the TV starts without it.' },
  PITV_DATA_DIR_BUSY: { problem: 'Another TV of the machine uses the data directory.', remedy: 'Stop it, or choose another directory with `--data-dir`.' },

  // Network
  PITV_PORT_BUSY: { problem: 'Another program uses the port.', remedy: 'Choose another port with `--port` or `--udp`.' },
  PITV_LISTEN_FAILED: { problem: 'The TV cannot listen at the address.', remedy: 'Check `--host` and `--port`; ports below 1024 need privileges.' },
  PITV_TLS_FILE: { problem: 'The file of the certificate or of its key cannot be read.', remedy: 'Check `--tls-cert`, `--tls-key` and their permissions.' },
  PITV_TLS_INVALID: { problem: 'The certificate or its key is not valid PEM.', remedy: 'Give a PEM file without a password.' },
  PITV_TLS_MISMATCH: { problem: 'The key belongs to another certificate.', remedy: 'Give the key of this certificate.' },
  PITV_ORIGIN: { status: 403, problem: 'The TV does not accept the host name or the origin of the request.', remedy: 'Use an address that the TV shows, or allow the name with `--public-url` or `--allowed-origin`; on a card with `public-url` in `pitv.txt`.' },
  PITV_BODY_INVALID: { status: 400, problem: 'The body of a request, or a body in a game’s world, has wrong fields.', remedy: 'Correct the fields that the message names.' },
  PITV_BODY_TOO_LARGE: { status: 413, problem: 'The body of a request is too large.', remedy: 'Send fewer bytes.' },
  PITV_REQUEST_INVALID: { status: 400, problem: 'A request is malformed.', remedy: 'Check its headers, its JSON and its URL.' },
  PITV_MESSAGE_INVALID: { problem: 'The TV does not accept a websocket message.', remedy: 'Reload the page, or update the client.' },
  PITV_NOT_FOUND: { status: 404, problem: 'Nothing was found at the URL.', remedy: 'Check the URL.' },
  PITV_INTERNAL: { status: 500, problem: 'An unexpected error occurred in the TV.', remedy: 'Read its log.' },

  // Players and matches
  PITV_CODE_WRONG: { status: 403, problem: 'The join code is wrong.', remedy: 'Enter the code that the TV shows.' },
  PITV_CODE_LOCKED: { status: 429, problem: 'Too many wrong join codes came from one address, or from all.', remedy: 'Scan the QR code, or wait a minute and enter the code that the TV shows.' },
  PITV_PLAYERS_FULL: { problem: 'The TV has the maximum number of players.', remedy: 'Wait until a player leaves.' },
  PITV_PLAYERS_ADDRESS: { problem: 'One address has the maximum number of players.', remedy: 'Wait until one of them leaves, or start the TV with a higher `--max-pads-per-address`.' },
  PITV_PLAYER_UNKNOWN: { status: 404, problem: 'There is no such player.', remedy: 'Reload the list of players.' },
  PITV_NOT_YOURS: { status: 403, problem: 'The match has another owner, or the TV shows its matches only to screens and players.', remedy: 'Use the token of its owner, of a screen or of a player, or log in as admin.' },
  PITV_GAME_UNKNOWN: { status: 404, problem: 'There is no such game.', remedy: 'Reload the list of games.' },
  PITV_GAME_INVALID: { status: 422, problem: 'The file of a game cannot be loaded, or does not define a game.', remedy: 'Correct the file that the message names.' },
  PITV_MATCH_UNKNOWN: { status: 404, problem: 'There is no such match.', remedy: 'Reload the list of matches.' },
  PITV_MATCH_FULL: { problem: 'All seats of the match are taken.', remedy: 'Join another match, or wait.' },
  PITV_MATCH_OVER: { problem: 'The match is over.', remedy: 'Start another match.' },
  PITV_CAPACITY: { status: 503, problem: 'The TV runs the maximum number of matches.', remedy: 'End a match, or raise `--max-matches`.' },
  PITV_START_BUSY: { status: 429, problem: 'One address started too many matches.', remedy: 'Wait some seconds, then try again.' },
  PITV_CLOSED: { status: 403, problem: 'The TV is outside of its opening hours.', remedy: 'Come back when it opens, or start the match as admin.' },
  PITV_START_HELD: { problem: 'Somebody has asked to wait with the match.', remedy: 'Ask whether everybody is ready, then start it again.' },
  PITV_PAUSE_BUSY: { status: 429, problem: 'A match was paused, or its start held, too often.', remedy: 'Use the phone of another player, or wait some minutes.' },
  PITV_PARTY_RUNNING: { problem: 'A party is running already.', remedy: 'Wait until it is over, or end it on the screen that started it.' },
  PITV_CHECKPOINT_OTHER_VERSION: { problem: 'A saved match belongs to another version of its game.', remedy: 'Start a new match: the saved one cannot be resumed.' },
  PITV_PREVIEW_FAILED: { status: 503, problem: 'There is no picture of the game yet.', remedy: 'Try again later; the log says why it failed.' },

  // Admin
  PITV_ADMIN_ONLY: { status: 401, problem: 'Only the admin may do this.', remedy: 'Log in, or send the admin token.' },
  PITV_PASSWORD_INVALID: { status: 400, problem: 'The new password is too short or too long, or was typed differently the second time.', remedy: 'Choose one with the length that the message allows.' },
  PITV_PASSWORD_WRONG: { status: 403, problem: 'The password is wrong.', remedy: 'Enter it again, or use the admin token.' },
  PITV_PASSWORD_UNSET: { status: 409, problem: 'The TV has no password yet.', remedy: 'Set one with `pitv passwd`, or with the admin token.' },
  PITV_PASSWORD_NOT_KEPT: { status: 503, problem: 'The password cannot be saved.', remedy: 'Check the data directory and its permissions.' },
  PITV_PASSWORD_FILE: { problem: 'The password file cannot be read.', remedy: 'Check `--admin-password-file` and its permissions.' },
  PITV_LOGIN_LOCKED: { status: 429, problem: 'There were too many wrong passwords.', remedy: 'Wait for the time in the message, or use the admin token.' },
  PITV_LOGIN_BUSY: { status: 503, problem: 'Too many logins are waiting.', remedy: 'Try again in a moment.' },
  PITV_SYSTEM_NOT_OURS: { status: 409, problem: 'The TV does not control the machine that it runs on.', remedy: 'Restart or shut down the machine itself.' },
  PITV_SYSTEM_BUSY: { status: 429, problem: 'The restart or the shutdown was requested already.', remedy: 'Wait half a minute.' },
  PITV_WIFI_PASSWORD: { status: 400, problem: 'The Wi-Fi that was chosen has a password.', remedy: 'Enter it. Without a password the TV would join any open Wi-Fi of the same name.' },
  PITV_WIFI_BUSY: { status: 409, problem: 'The TV is trying another Wi-Fi.', remedy: 'Wait a minute. If `pitv-setup` opens again, its page says why.' },
  PITV_JOURNAL_MISSING: { status: 404, problem: 'The machine’s journal cannot be read.', remedy: 'Read the log on the machine.' },
  PITV_WATCHDOG: { problem: 'The service manager does not accept a longer timeout, and would end the TV during a heap snapshot.', remedy: 'Try again.' },
  PITV_UPDATE_UNSUPPORTED: { status: 409, problem: 'The machine has only one system, or no address of updates.', remedy: 'See [Update](card.md#update).' },
  PITV_UPDATE_BUSY: { status: 409, problem: 'Another update is being uploaded or installed.', remedy: 'Wait until it is done.' },
  PITV_UPDATE_FILE: { status: 413, problem: 'The file of an update cannot be read, uploaded or downloaded.', remedy: 'Check the path or the address, and the free space on the data partition.' },
  PITV_UPDATE_REFUSED: { problem: 'An update is damaged, too large, older than the running system, for another board, or signed by another key.', remedy: 'Get the update for this board from its maker. The running system is unchanged.' },
  PITV_UPDATE_FAILED: { problem: 'The systems of the card cannot be read or marked.', remedy: 'Run the command as root; read the message and `journalctl -u rauc`.' },

  // Replays and programs
  PITV_REPLAY_EMPTY: { status: 409, problem: 'No screen of the TV has shown the match.', remedy: 'Show it on a screen, then try again.' },
  PITV_REPLAY_BUSY: { status: 503, problem: 'Too many replays are being downloaded.', remedy: 'Wait, then try again.' },
  PITV_CHILD_FAILED: { problem: 'A child process ended with an error.', remedy: 'Read the program’s output in the message.' },
  PITV_CHILD_ABORTED: { problem: 'The signal of a child process was aborted.', remedy: 'Start the program again if you still need it.' },
  PITV_PROGRAM_MISSING: { problem: 'A program is not installed.', remedy: 'Install it (Debian: `apt-get install NAME`).' },
  PITV_PROGRAM_REFUSED: { problem: 'A program cannot be run.', remedy: 'Check that it is executable, and that the machine has memory for another process.' },
  PITV_PIPE_CLOSED: { problem: 'A program ended, or closed its input before it had read everything.', remedy: 'Read the program’s output in the message.' },
  PITV_PIPE_FAILED: { problem: 'The pipe to a program failed.', remedy: 'Start the program again.' },

  // Native pads
  PITV_UDP_OFF: { problem: 'The TV does not accept datagrams.', remedy: 'Start it with `--udp`.' },
  PITV_UDP_ADDON: { problem: 'Native pads need the native addon, which is not built.', remedy: 'Run `make native`.' },
  PITV_UDP_FULL: { problem: 'The TV has the maximum number of native pads.', remedy: 'Wait until a pad leaves.' },

  // Packages of games
  PITV_PACKAGE_INVALID: { status: 400, problem: 'The package is not one of a game for pitv.', remedy: 'Correct the field of `package.json` that the message names.' },
  PITV_PACKAGE_ARCHIVE: { status: 400, problem: 'The archive of a package cannot be read, or contains something that pitv does not accept.', remedy: 'Make the archive with `pitv games pack` or `npm pack`.' },
  PITV_PACKAGE_SIZE: { status: 413, problem: 'The package is too large, or has too many files.', remedy: 'Remove files from it; see the limits.' },
  PITV_PACKAGE_CLASH: { status: 409, problem: 'Another game has the id of the package’s game.', remedy: 'Remove that game, or give the package another name.' },
  PITV_PACKAGE_BUSY: { status: 409, problem: 'Another package is being uploaded.', remedy: 'Wait for it, then try again.' },
  PITV_PACKAGE_UNKNOWN: { status: 404, problem: 'No package with the id is installed.', remedy: 'Use an id that `pitv games list` shows.' },
  PITV_PACKAGE_LIMIT: { status: 507, problem: 'The maximum number of packages is installed.', remedy: 'Remove a package.' },
  PITV_PACKAGE_NPM: { problem: 'The package cannot be fetched by npm.', remedy: 'Check the name and the network, or add a .tgz file.' },
  PITV_PACKAGE_NOT_KEPT: { status: 503, problem: 'The package cannot be saved.', remedy: 'Check the data directory, its permissions and its free space.' },
  PITV_PACKAGE_SOURCE: { problem: 'The package was uploaded, so there is no place to look for a newer version.', remedy: 'Upload the new version.' },

  // Task pools
  PITV_POOL_FULL: { status: 503, problem: 'All workers of a pool are busy, and no more tasks may wait.', remedy: 'Run fewer tasks at once, or raise `maxQueue`.' },
  PITV_POOL_CLOSED: { problem: 'The pool is closed or being closed.', remedy: 'Create another pool.' },
  PITV_POOL_TIMEOUT: { problem: 'Tasks were still running after the time that `close()` waits.', remedy: 'None needed: their workers were ended. Raise `closeTimeout` if the tasks need longer.' },
  PITV_POOL_TOO_LARGE: { problem: 'A task or a result is longer than the longest message of a pool.', remedy: 'Split it, or put it into memory from `pool.allocate()`.' },
  PITV_POOL_MEMORY_FULL: { problem: 'The memory that a pool shares with its workers is full.', remedy: 'Drop references to memory from `pool.allocate()` that is not needed any more.' },
  PITV_POOL_MESSAGE: { problem: 'A message between a pool and a worker cannot be read.', remedy: 'None needed: the worker was replaced. Its module has probably overwritten memory.' },
  PITV_TASK_HANDLER: { problem: 'There is no function for a task.', remedy: 'Give the `filename` of a module that exports a function, and its `name`.' },
  PITV_TASK_ABORTED: { problem: 'The signal of a task was aborted.', remedy: 'Run the task again if you still need its result.' },
  PITV_TASK_TIMEOUT: { problem: 'A task ran longer than `taskTimeoutMs`.', remedy: 'None needed: its worker was replaced. Raise the time if the task needs longer.' },
  PITV_TASK_MEMORY: { problem: 'A worker ran out of memory while it ran a task.', remedy: 'None needed: the worker was replaced. Raise `memoryMb` or `resourceLimits` if the task needs more.' },
  PITV_TASK_CRASHED: { problem: 'A signal ended a worker while it ran a task.', remedy: 'None needed: the worker was replaced. `retries` runs the task again.' },
  PITV_TASK_EXITED: { problem: 'A worker exited while it ran a task.', remedy: 'None needed: the worker was replaced. Look for `process.exit()` in the module.' },

  // Workers
  PITV_ENGINE_UNKNOWN: { problem: 'There is no such engine.', remedy: 'Choose one of those in the message.' },
  PITV_ENGINE_UNSUPPORTED: { problem: 'The engine cannot run on this machine.', remedy: 'Use `--engine auto`, or install what is missing according to the message.' },
  PITV_ENGINE_BUSY: { status: 503, problem: 'All workers of the engine are in use.', remedy: 'Stop a worker, or raise `maxWorkers`.' },
  PITV_ENGINE_CLOSED: { problem: 'The engine has been closed.', remedy: 'Create another engine.' },
  PITV_WORKER_FAILED: { problem: 'A worker did not start.', remedy: 'Read the cause in the message; often its module throws.' },
  PITV_WORKER_TIMEOUT: { problem: 'A worker was not ready in time.', remedy: 'Make its module load faster, or raise `readyTimeoutMs`.' },
  PITV_WORKER_STOPPED: { status: 409, problem: 'A worker was stopped while it was starting.', remedy: 'Start another worker if you still need one.' },
  PITV_WORKER_STUCK: { problem: 'A worker is stuck in the kernel or in native code and cannot be killed.', remedy: 'Restart the process.' },
  PITV_FRAME_INVALID: { problem: 'A game of others wrote a frame that cannot be drawn. Its match has ended.', remedy: 'Repair the game: leave writing frames to `defineGame()`.' },
  PITV_WORKER_TICKS: { problem: 'The tick counter of a game of others does not follow the clock. Its match has ended.', remedy: 'Repair the game: it must not write to its mailbox.' },
  PITV_WORKER_REPORTS: { problem: 'A worker sent more reports to the main process than it may.', remedy: 'Repair its game: a game has no reason to write to the channel.' },
  PITV_LOCK_UNSUPPORTED: { problem: 'A worker cannot be locked, because the kernel or the engine cannot do it.', remedy: 'Install what the message names. To run games of others without it, start the TV with `--untrusted-games open`.' },
  PITV_MODULE_FAILED: { problem: 'A module threw while the zygote loaded it.', remedy: 'Correct the module that the message names.' },
  PITV_REHEARSAL_FAILED: { problem: 'A module threw while the zygote ran it for a warm-up.', remedy: 'Read the stack in the log. Matches with the module still start.' },
  PITV_MAILBOX_SIZE: { problem: 'A size is out of range, or the data does not fit into the mailbox.', remedy: 'Correct `sizes`.' },
  PITV_MAILBOX_INVALID: { problem: 'The memory holds no mailbox of this version, or the mailbox belongs to another engine.', remedy: 'Create it with `createMailbox()` of the same engine.' },
  PITV_MAILBOX_BUSY: { problem: 'A worker still uses the mailbox.', remedy: 'Stop the worker first.' },
  PITV_FRAME_SIZE: { problem: 'A frame does not fit into the mailbox.', remedy: 'Give the worker a larger `frameBytes`.' },
  PITV_WORLD_OPTIONS: { problem: 'An option of a world is wrong.', remedy: 'Use a value that the message allows.' },
  PITV_WORLD_FULL: { problem: 'The world has the maximum number of bodies.', remedy: 'Remove a body, or raise `capacity`.' },
  PITV_CHECKPOINT_INVALID: { problem: 'A checkpoint does not fit this world.', remedy: 'Restore it into a world with the same options.' },
  PITV_INSPECT_UNSUPPORTED: { problem: 'The worker runs a game of others, which is locked, or the engine was created without `inspectDir`.', remedy: 'Run the game with the engine `thread` and `--untrusted-games open`, or create the engine with that option.' },
  PITV_INSPECT_BUSY: { problem: 'A profile of the worker is being taken already.', remedy: 'Wait until it is done.' },
  PITV_INSPECT_FAILED: { problem: 'The worker ended or does not answer.', remedy: 'Try again with a running worker.' },
  PITV_DEPENDENCY_MISSING: { problem: 'An npm package that pitv needs is not installed.', remedy: 'Run `npm ci`, or `make run`.' },
  PITV_BUNDLED: { problem: 'The library was bundled with a program, so it does not find its workers and its addon.', remedy: 'Mark `pitv` as external in the bundler.' },
  PITV_NATIVE_MISSING: { problem: 'The native addon is not built, or is too old.', remedy: 'Run `make native`, or `npx pitv-build-addon` in a program that uses the package.' },
  PITV_NATIVE_ARGUMENT: { problem: 'A function of the addon got a wrong argument.', remedy: 'Report it as a bug: only pitv calls the addon.' },
  PITV_NATIVE_FAILED: { problem: 'A system call failed.', remedy: 'Look up the `errno` in the message.' },

  // The zygote
  PITV_ZYGOTE_UNSUPPORTED: { problem: 'The zygote does not work with this system or this version of Node.js.', remedy: 'Use another engine.' },
  PITV_ZYGOTE_FAILED: { problem: 'The zygote did not start.', remedy: 'Read the cause in the message; often a module throws.' },
  PITV_ZYGOTE_CLOSED: { problem: 'The zygote has been closed.', remedy: 'Create another zygote.' },
  PITV_ZYGOTE_DIED: { problem: 'The zygote ended before it could fork.', remedy: 'Try again; a new zygote is being started.' },
  PITV_ZYGOTE_FORK: { problem: 'The zygote could not fork.', remedy: 'Free memory, or raise the limit on processes.' },
  PITV_ZYGOTE_CHILD: { problem: 'A forked child failed during its start.', remedy: 'Read the cause in the message.' },
  PITV_ZYGOTE_MESSAGE: { problem: 'A message between the zygote and its children cannot be read.', remedy: 'Send values that can be cloned, below the size limit.' },
  PITV_ZYGOTE_OPEN: { problem: 'A module left a handle or a descriptor open that a fork cannot share.', remedy: 'Open it in the child, after the fork.' },
  PITV_ZYGOTE_THREADS: { problem: 'A module started threads, which a fork cannot copy.', remedy: 'Start them in the child, after the fork.' },
  PITV_ZYGOTE_HOOKS: { problem: 'Module hooks or modules that are loaded ahead run in threads, which a fork cannot copy.', remedy: 'Use `module.registerHooks()`, or another engine.' },
  PITV_ZYGOTE_INSPECTOR: { problem: 'The inspector cannot be opened in a forked child.', remedy: 'Run the module in an ordinary process to debug it.' },

  // Profiles
  PITV_PROFILE_KIND: { status: 400, problem: 'The kind of profile is unknown.', remedy: 'Request `cpu` or `heap`.' },
  PITV_PROFILE_TARGET: { status: 404, problem: 'There is no such thread or worker.', remedy: 'Reload the list; the worker may have ended.' },
  PITV_PROFILE_BUSY: { status: 409, problem: 'Another profile is being taken.', remedy: 'Wait until it is done.' },
  PITV_PROFILE_SIZE: { problem: 'The profile is larger than the limit.', remedy: 'Profile a smaller process.' },
  PITV_PROFILE_FAILED: { status: 503, problem: 'The profile could not be taken.', remedy: 'Read the cause in the message.' },
  PITV_PROFILE_LOAD: { problem: 'A client of a measurement or of a profile was refused.', remedy: 'Read the cause in the message.' },
  PITV_PROFILE_OUT: { problem: 'The profile cannot be written to the folder.', remedy: 'Choose another folder with `--out`.' },
  PITV_MEMORY_LOW: { status: 503, problem: 'Too little memory is free for a heap snapshot.', remedy: 'End matches, then try again.' },
  PITV_DISK_LOW: { status: 503, problem: 'Too little disk space is free for a profile.', remedy: 'Delete files.' },

  // Benchmarks
  PITV_BENCH_MISSING: { problem: 'The benchmarks are not installed.', remedy: 'Use a checkout of the repository.' },
  PITV_BENCH_BUSY: { status: 409, problem: 'The benchmark is already running.', remedy: 'Wait until it is done.' },
  PITV_BENCH_NOT_KEPT: { status: 503, problem: 'The results cannot be saved.', remedy: 'Free space on the disk.' },
  PITV_BENCH_NO_ROOM: { problem: 'The folder for the samples cannot be created.', remedy: 'Free space in the temporary directory.' },
  PITV_BENCH_COMPILER: { problem: 'A C program of a benchmark cannot be compiled.', remedy: 'Install a C compiler.' },
  PITV_BENCH_UNSUPPORTED: { problem: 'The machine or its version of Node.js lacks something that the benchmark needs.', remedy: 'Use what the message names.' },

  // Fleet
  PITV_FLEET_AWAY: { status: 503, problem: 'No server of the fleet answers, or another node does not.', remedy: 'Check `--fleet`, the network, and that a majority of the NATS servers runs with JetStream.' },
  PITV_FLEET_CREDENTIALS: { problem: 'The credentials of the fleet cannot be used.', remedy: 'Give the file that `pitv fleet init` has made together with the configuration of the servers.' },
  PITV_FLEET_TLS: { problem: 'The certificate of a server of the fleet is not trusted.', remedy: 'Give the certificates of the authority that has signed it with `--fleet-ca`, and use the address that it is for.' },
  PITV_FLEET_NAME: { problem: 'The name of the node cannot be used: it is wrong, or a node that runs has it.', remedy: 'Give another name with `--fleet-node`: up to 64 small letters, digits and hyphens.' },
  PITV_FLEET_VERSION: { problem: 'The living nodes of the fleet speak another version of its protocol.', remedy: 'Install the same version of pitv on all TVs of the fleet. If the versions differ, stop all of them before one is started again.' },
  PITV_FLEET_FENCED: { status: 409, problem: 'Another node of the fleet has taken over the match.', remedy: 'None needed: the match goes on there.' },
}));

/** ERRORS with any string as a key. @type {Readonly<Record<string, ErrorRow>>} */
const ROWS = ERRORS;

/** Returns the HTTP status of an error code. @param {string} code @returns {number} */
export const statusOf = (code) => ROWS[code]?.status ?? 500;
