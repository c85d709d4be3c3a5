/** Descriptions of errors of the file system. */
import { messageOf } from '../errors.js';

/** @type {Readonly<Record<string, string>>} code of errno(3) -> words */
const REASONS = Object.freeze({
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EFBIG: 'the file is larger than this process may write',
  EIO: 'the disk reports an input or output error',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'it is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
});

/** Returns the code of an error; empty without one. @param {unknown} error @returns {string} */
export const codeOf = (error) => String(Reflect.get(Object(error), 'code') ?? '');

/** Describes an error of the file system in a few words, without a full stop. @param {unknown} error */
export const reasonOf = (error) => REASONS[codeOf(error)] ?? messageOf(error).replace(/\.$/, '');
