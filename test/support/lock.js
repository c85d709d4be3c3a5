/** Whether workers can be locked here. */
import { missingForLock } from '../../app/engine/lock.js';

const missing = missingForLock();
/** Why a test cannot lock a worker; false where it can. For a test's `skip`. */
export const lockMissing = missing ? `this machine lacks ${missing}` : false;
