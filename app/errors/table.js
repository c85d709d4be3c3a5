/**
 * Every error code, with a sentence that says what was wrong and one that says what to do. The table in
 * docs/operations.md is made from it (`make docs`). Messages of errors say the same with the details of the case.
 */

/**
 * @typedef {object} ErrorRow
 * @property {string} problem
 * @property {string} remedy
 * @property {number} [status] of the HTTP response; 500 by default
 * @property {number} [exit] status of a command that ends with this error; 1 by default
 */

// One row a line.
// prettier-ignore
export const ERRORS = Object.freeze(/** @satisfies {Record<string, ErrorRow>} */ ({
  // Commands and settings
  PITV_USAGE: { exit: 2, problem: 'A command, an option or its value is wrong.', remedy: 'Run the command with `--help`.' },
  PITV_OPTION_INVALID: { status: 400, problem: 'An option of a game or a function is unknown, or its value is out of range.', remedy: 'Use a value that the message allows.' },
  PITV_CANCELLED: { problem: 'A prompt or a profile was cancelled.', remedy: 'Run the command again; nothing was changed.' },
  PITV_INTERRUPTED: { problem: 'A signal ended the command.', remedy: 'Run it again.' },
  PITV_FILE_UNWRITABLE: { problem: 'The output file cannot be written.', remedy: 'Choose another path, or free space on the disk.' },
  PITV_TV_AWAY: { problem: 'No TV answers at the address.', remedy: 'Start it with `pitv serve`, or give its `--url`.' },
  PITV_IO_THREADS: { problem: 'The thread pool could not be given the size that was set.', remedy: 'Set `UV_THREADPOOL_SIZE` in the environment, or run `make native`.' },
  PITV_SAVED_INVALID: { problem: 'A saved file cannot be used.', remedy: 'Nothing: it is renamed to `NAME.bad-N`, and the TV starts without it.' },

  // Network
  PITV_PORT_BUSY: { problem: 'Another program uses the port.', remedy: 'Choose another one with `--port` or `--udp`.' },
  PITV_LISTEN_FAILED: { problem: 'The TV cannot listen at the address.', remedy: 'Check `--host` and `--port`; ports below 1024 need a privilege.' },
  PITV_TLS_FILE: { problem: 'The file of the certificate or of its key cannot be read.', remedy: 'Check `--tls-cert`, `--tls-key` and their permissions.' },
  PITV_TLS_INVALID: { problem: 'The certificate or its key is not valid PEM.', remedy: 'Give a PEM file without a password.' },
  PITV_TLS_MISMATCH: { problem: 'The key belongs to another certificate.', remedy: 'Give the pair that was made together.' },
  PITV_ORIGIN: { status: 403, problem: 'The request has a host name or an origin that the TV does not accept.', remedy: 'Use an address that the TV shows, or allow the name with `--public-url` or `--allowed-origin`.' },
  PITV_BODY_INVALID: { status: 400, problem: 'The body of a request, or a body of a game’s world, has wrong fields.', remedy: 'Send what the message describes.' },
  PITV_BODY_TOO_LARGE: { status: 413, problem: 'The body of a request is too large.', remedy: 'Send fewer bytes.' },
  PITV_REQUEST_INVALID: { status: 400, problem: 'A request cannot be understood.', remedy: 'Check its JSON and its address.' },
  PITV_MESSAGE_INVALID: { problem: 'A websocket message is not one that the TV takes.', remedy: 'Reload the page, or update the client.' },
  PITV_NOT_FOUND: { status: 404, problem: 'There is nothing at the address.', remedy: 'Check the address.' },
  PITV_INTERNAL: { status: 500, problem: 'Something failed in the TV.', remedy: 'Look at its log.' },

  // Players and matches
  PITV_CODE_WRONG: { status: 403, problem: 'The join code is wrong.', remedy: 'Type the code that the TV shows.' },
  PITV_CODE_LOCKED: { status: 429, problem: 'Too many wrong join codes came from one address.', remedy: 'Wait a minute, then type the code that the TV shows.' },
  PITV_PLAYERS_FULL: { problem: 'The TV has its largest number of players.', remedy: 'Wait until one leaves.' },
  PITV_PLAYERS_ADDRESS: { problem: 'One address has its largest number of players.', remedy: 'Wait until one leaves, or start the TV with a higher `--max-pads-per-address`.' },
  PITV_PLAYER_UNKNOWN: { status: 404, problem: 'There is no such player.', remedy: 'Read the list of players again.' },
  PITV_NOT_YOURS: { status: 403, problem: 'The match or the clip belongs to somebody else.', remedy: 'Use the token of its owner, or log in as admin.' },
  PITV_GAME_UNKNOWN: { status: 404, problem: 'There is no such game.', remedy: 'Read the list of games again.' },
  PITV_GAME_INVALID: { problem: 'The file of a game cannot be loaded, or does not define a game.', remedy: 'Correct the file that the message names.' },
  PITV_MATCH_UNKNOWN: { status: 404, problem: 'There is no such match.', remedy: 'Read the list of matches again.' },
  PITV_MATCH_FULL: { problem: 'All seats of the match are taken.', remedy: 'Join another one, or wait.' },
  PITV_MATCH_OVER: { problem: 'The match is over.', remedy: 'Start another one.' },
  PITV_CAPACITY: { status: 503, problem: 'The TV runs its largest number of matches.', remedy: 'End one, or raise `--max-matches`.' },
  PITV_START_BUSY: { status: 429, problem: 'One address started too many matches.', remedy: 'Wait some seconds.' },
  PITV_CHECKPOINT_OTHER_VERSION: { problem: 'A saved match belongs to another version of its game.', remedy: 'Nothing: the match is given up. Start a new one.' },
  PITV_PREVIEW_FAILED: { status: 503, problem: 'There is no picture of the game yet.', remedy: 'Try again later; the log says why it failed.' },

  // Admin
  PITV_ADMIN_ONLY: { status: 401, problem: 'The request needs the admin.', remedy: 'Log in, or send the admin token.' },
  PITV_PASSWORD_INVALID: { status: 400, problem: 'The new password is too short or too long, or was typed differently the second time.', remedy: 'Choose one with the length that the message allows.' },
  PITV_PASSWORD_WRONG: { status: 403, problem: 'The password is wrong.', remedy: 'Type it again, or use the admin token.' },
  PITV_PASSWORD_UNSET: { status: 409, problem: 'The TV has no password yet.', remedy: 'Set one with `pitv passwd`, or with the admin token.' },
  PITV_PASSWORD_NOT_KEPT: { status: 503, problem: 'The password cannot be saved.', remedy: 'Check the data directory and its permissions.' },
  PITV_PASSWORD_FILE: { problem: 'The file of the password cannot be read.', remedy: 'Check `--admin-password-file` and its permissions.' },
  PITV_LOGIN_LOCKED: { status: 429, problem: 'There were too many wrong passwords.', remedy: 'Wait as long as the message says, or use the admin token.' },
  PITV_LOGIN_BUSY: { status: 503, problem: 'Too many logins run at the same time.', remedy: 'Try again in a moment.' },
  PITV_SYSTEM_NOT_OURS: { status: 409, problem: 'The TV does not control the machine that it runs on.', remedy: 'Restart or switch off the machine itself.' },
  PITV_SYSTEM_BUSY: { status: 429, problem: 'The restart or the shutdown was requested already.', remedy: 'Wait half a minute.' },
  PITV_JOURNAL_MISSING: { status: 404, problem: 'The machine’s journal cannot be read.', remedy: 'Read the log on the machine.' },
  PITV_WATCHDOG: { problem: 'The service manager does not accept a longer timeout, and would end the TV during a heap snapshot.', remedy: 'Try again.' },

  // Clips
  PITV_CLIP_UNKNOWN: { status: 404, problem: 'There is no such clip, or it is not ready.', remedy: 'Read the list of clips again.' },
  PITV_CLIP_OPTION: { status: 400, problem: 'An option of a clip is wrong.', remedy: 'Use a value that the message allows.' },
  PITV_CLIP_EMPTY: { status: 409, problem: 'Nothing of the match has been recorded yet.', remedy: 'Try again in a second.' },
  PITV_CLIP_BUSY: { status: 429, problem: 'Another clip is being made, or was requested a moment ago.', remedy: 'Wait, then try again.' },
  PITV_CLIP_DOWNLOADS: { status: 503, problem: 'Too many clips are being downloaded.', remedy: 'Wait, then try again.' },
  PITV_CLIP_LIMIT: { status: 507, problem: 'There are too many clips.', remedy: 'Delete some.' },
  PITV_CLIP_SPACE: { status: 507, problem: 'The clips use all of their disk space.', remedy: 'Delete some, or raise `--clip-mb`.' },
  PITV_CLIP_NOT_KEPT: { status: 503, problem: 'Clips cannot be saved.', remedy: 'Check the data directory.' },
  PITV_CLIP_FAILED: { problem: 'The video could not be made.', remedy: 'Try again; if it fails again, check the memory of the machine.' },
  PITV_CLIP_CANCELLED: { problem: 'The clip was cancelled.', remedy: 'Request another one.' },
  PITV_DISK_FULL: { status: 507, problem: 'The disk is full.', remedy: 'Delete clips, or free space on it.' },
  PITV_CHILD_FAILED: { problem: 'A program that the TV had started ended with an error.', remedy: 'Read the program’s own words in the message.' },
  PITV_PROGRAM_MISSING: { problem: 'A program is not installed.', remedy: 'Install it (Debian: `apt-get install NAME`).' },
  PITV_PROGRAM_REFUSED: { problem: 'A program cannot be run.', remedy: 'Check that it is executable, and that the machine has room for another process.' },
  PITV_PIPE_CLOSED: { problem: 'A program ended or closed its input before it had read everything.', remedy: 'Read its last words in the message.' },
  PITV_PIPE_FAILED: { problem: 'The pipe to a program broke.', remedy: 'Start it again.' },

  // Native pads
  PITV_UDP_OFF: { problem: 'The TV does not accept datagrams.', remedy: 'Start it with `--udp`.' },
  PITV_UDP_ADDON: { problem: 'Native pads need the native addon, which is not built.', remedy: 'Run `make native`.' },
  PITV_UDP_FULL: { problem: 'The TV has its largest number of native pads.', remedy: 'Wait until one leaves.' },
  PITV_UDP_VERSION: { problem: 'The TV and the pad use different versions of the protocol.', remedy: 'Update the older one.' },
  PITV_TV_UNREACHABLE: { problem: 'The TV does not answer the pad, or closed its connection.', remedy: 'Check the address and that the TV runs.' },

  // Workers
  PITV_ENGINE_UNKNOWN: { problem: 'There is no such engine.', remedy: 'Choose one that the message lists.' },
  PITV_ENGINE_UNSUPPORTED: { problem: 'The engine cannot run on this machine.', remedy: 'Use `--engine auto`, or add what the message says is missing.' },
  PITV_ENGINE_BUSY: { status: 503, problem: 'All workers of the engine are in use.', remedy: 'Stop one, or raise `maxWorkers`.' },
  PITV_ENGINE_CLOSED: { problem: 'The engine has been closed.', remedy: 'Make another one.' },
  PITV_WORKER_FAILED: { problem: 'A worker did not start.', remedy: 'Read the cause in the message; often its module throws.' },
  PITV_WORKER_TIMEOUT: { problem: 'A worker was not ready in time.', remedy: 'Shorten what its module does while it loads, or raise `readyTimeoutMs`.' },
  PITV_WORKER_STOPPED: { problem: 'A worker was stopped while it started.', remedy: 'Start another one if you still need it.' },
  PITV_WORKER_STUCK: { problem: 'A worker is stuck in the kernel or in native code and cannot be ended.', remedy: 'Restart the process.' },
  PITV_MODULE_FAILED: { problem: 'A module threw while the zygote loaded it.', remedy: 'Correct the module that the message names.' },
  PITV_REHEARSAL_FAILED: { problem: 'A module threw while the zygote ran it for a warm-up.', remedy: 'Read the stack in the log; matches of the module start all the same.' },
  PITV_MAILBOX_SIZE: { problem: 'A size is out of range, or the data does not fit into the mailbox.', remedy: 'Correct `sizes`.' },
  PITV_MAILBOX_INVALID: { problem: 'The memory holds no mailbox of this version, or the mailbox belongs to another engine.', remedy: 'Make it with `createMailbox()` of the same engine.' },
  PITV_MAILBOX_BUSY: { problem: 'A worker still uses the mailbox.', remedy: 'Stop the worker first.' },
  PITV_FRAME_SIZE: { problem: 'A frame is larger than its place in the mailbox.', remedy: 'Give the worker a larger `frameBytes`.' },
  PITV_WORLD_OPTIONS: { problem: 'An option of a world is wrong.', remedy: 'Use a value that the message allows.' },
  PITV_WORLD_FULL: { problem: 'The world holds its largest number of bodies.', remedy: 'Remove one, or raise `capacity`.' },
  PITV_CHECKPOINT_INVALID: { problem: 'A checkpoint does not fit this world.', remedy: 'Restore it into a world with the same options.' },
  PITV_INSPECT_UNSUPPORTED: { problem: 'The engine was made without `inspectDir`.', remedy: 'Make it with that option.' },
  PITV_INSPECT_BUSY: { problem: 'A profile of the worker is being taken already.', remedy: 'Wait until it is done.' },
  PITV_INSPECT_FAILED: { problem: 'The worker ended or does not answer.', remedy: 'Try again with a running worker.' },
  PITV_NATIVE_MISSING: { problem: 'The native addon is not built, or is too old.', remedy: 'Run `make native`.' },
  PITV_NATIVE_ARGUMENT: { problem: 'A function of the addon got a wrong argument.', remedy: 'Report it: only pitv calls the addon.' },
  PITV_NATIVE_FAILED: { problem: 'A system call failed.', remedy: 'Look up the `errno` in the message.' },

  // The zygote
  PITV_ZYGOTE_UNSUPPORTED: { problem: 'The zygote does not work with this system or this version of Node.js.', remedy: 'Use another engine.' },
  PITV_ZYGOTE_FAILED: { problem: 'The zygote did not start.', remedy: 'Read the cause in the message; often a module throws.' },
  PITV_ZYGOTE_CLOSED: { problem: 'The zygote has been closed.', remedy: 'Make another one.' },
  PITV_ZYGOTE_DIED: { problem: 'The zygote ended before it could fork.', remedy: 'Try again; a new zygote is being started.' },
  PITV_ZYGOTE_FORK: { problem: 'The zygote could not fork.', remedy: 'Free memory, or raise the limit of processes.' },
  PITV_ZYGOTE_CHILD: { problem: 'A forked child failed during its start.', remedy: 'Read the cause in the message.' },
  PITV_ZYGOTE_MESSAGE: { problem: 'A message between the zygote and its children cannot be read.', remedy: 'Send values that can be cloned, below the size limit.' },
  PITV_ZYGOTE_OPEN: { problem: 'A module left a handle or a descriptor open that a fork cannot share.', remedy: 'Open it in the child, after the fork.' },
  PITV_ZYGOTE_THREADS: { problem: 'A module started threads, which a fork cannot copy.', remedy: 'Start them in the child, after the fork.' },
  PITV_ZYGOTE_INSPECTOR: { problem: 'The inspector cannot be opened in a forked child.', remedy: 'Run the module in an ordinary process to debug it.' },

  // Profiles
  PITV_PROFILE_KIND: { status: 400, problem: 'The kind of profile is unknown.', remedy: 'Request `cpu` or `heap`.' },
  PITV_PROFILE_TARGET: { status: 404, problem: 'There is no such thread or worker.', remedy: 'Read the list again; the worker may have ended.' },
  PITV_PROFILE_BUSY: { status: 409, problem: 'Another profile is being taken.', remedy: 'Wait until it is done.' },
  PITV_PROFILE_SIZE: { problem: 'The profile is larger than the limit.', remedy: 'Take one of a smaller process.' },
  PITV_PROFILE_FAILED: { status: 503, problem: 'The profile could not be taken.', remedy: 'Read the cause in the message.' },
  PITV_PROFILE_LOAD: { problem: 'The load for the profile failed.', remedy: 'Read the cause in the message.' },
  PITV_PROFILE_LOG: { problem: 'The log of V8’s profiler is missing, too long or unreadable.', remedy: 'Take fewer `--seconds`, or use another version of Node.js.' },
  PITV_PROFILE_OUT: { problem: 'The folder of the report cannot be written.', remedy: 'Choose another `--out`.' },
  PITV_AUTOCANNON_MISSING: { problem: '`autocannon` is not installed.', remedy: 'Install it as the message says.' },
  PITV_MEMORY_LOW: { status: 503, problem: 'Too little memory is free for a heap snapshot.', remedy: 'End matches, then try again.' },
  PITV_DISK_LOW: { status: 503, problem: 'Too little disk space is free for a profile.', remedy: 'Delete something.' },

  // Benchmarks
  PITV_BENCH_MISSING: { problem: 'The benchmarks are not installed.', remedy: 'Use a checkout of the repository.' },
  PITV_BENCH_BUSY: { status: 409, problem: 'The benchmark runs already.', remedy: 'Wait until it is done.' },
  PITV_BENCH_NOT_KEPT: { status: 503, problem: 'The results cannot be saved.', remedy: 'Free space on the disk.' },
  PITV_BENCH_NO_ROOM: { problem: 'No folder for the samples can be made.', remedy: 'Free space in the temporary directory.' },
  PITV_BENCH_COMPILER: { problem: 'A C program of a benchmark cannot be compiled.', remedy: 'Install a C compiler.' },
  PITV_BENCH_SNAPSHOT: { problem: 'This version of Node.js makes no start-up snapshots here.', remedy: 'Use another version, or leave that configuration out.' },
  PITV_BENCH_UNSUPPORTED: { problem: 'The benchmark needs a newer version of Node.js.', remedy: 'Use the version that the message names.' },
}));

/** The table with any code as its key. @type {Readonly<Record<string, ErrorRow>>} */
const ROWS = ERRORS;

/** Returns the HTTP status of an error code. @param {string} code @returns {number} */
export const statusOf = (code) => ROWS[code]?.status ?? 500;
