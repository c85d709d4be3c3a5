/** Tells errors of a machine that lacks something from those of a program. */
import { messageOf } from '../errors.js';

/** EAGAIN, ENOMEM, ENFILE, EMFILE, ENOBUFS. */
const SHORTAGE = /\b(EAGAIN|ENOMEM|ENFILE|EMFILE|ENOBUFS|errno (11|12|23|24|105))\b/;

/** Whether processes, descriptors or memory were lacking. @param {unknown} error */
export const isShortage = (error) => Boolean(error) && SHORTAGE.test(messageOf(error));
