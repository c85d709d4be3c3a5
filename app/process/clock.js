/** Tells whether the clock can be believed: a Raspberry Pi has none of its own. */
import { existsSync } from 'node:fs';

/** A clock before this year has not been set. */
const MIN_YEAR = 2025;
/** systemd-timesyncd makes this folder when it starts, and the file when it has learnt the time. */
const TIMESYNC = '/run/systemd/timesync';

/** Returns the time, ms since 1970; undefined if the clock has not been set, as far as that is known. */
export function knownTime() {
  if (new Date().getFullYear() < MIN_YEAR) return undefined;
  const isSet = !existsSync(TIMESYNC) || existsSync(`${TIMESYNC}/synchronized`);
  return isSet ? Date.now() : undefined;
}
