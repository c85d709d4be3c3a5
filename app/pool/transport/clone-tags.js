/** Tags of the values in a clone, see clone-writer.js. */
export const TAG = Object.freeze({
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  integer: 4, // 32 bits, zigzag
  double: 5,
  latin1: 6, // length, characters of one byte
  utf16: 7, // length, characters of two bytes
  bigint: 8, // its hexadecimal digits, as a string
  reference: 9, // number of an object that has been written before
  object: 10, // keys and values up to END
  array: 11, // length, elements, keys and values up to END
  sparseArray: 12, // length, keys and values up to END
  hole: 13, // an element that is missing
  end: 14, // of a Map or a Set
  map: 15, // keys and values up to `end`
  set: 16, // values up to `end`
  date: 17,
  regExp: 18,
  boxed: 19, // Object(1), Object('text')
  error: 20, // index in ERRORS; message, stack and cause up to END
  buffer: 21, // index of an ArrayBuffer in the table
  view: 22, // type, whether it tracks the length, index of its ArrayBuffer, offset, bytes
  block: 23, // allocated memory: id, place, size
  blockView: 24, // type, offset, bytes, and the words of a block
  part: 25, // index of a value that the port of a thread carries
  integers: 26, // an array of numbers: length, words; keys and values up to END
  doubles: 27,
  laterObject: 28, // its keys and values follow after the first value
  laterArray: 29, // its length, keys and values follow after the first value
  short: 64, // a short string: this plus its length
});

/** Up to this length, the characters of a string are not beside it but in the text at the end of the clone. */
export const SHORT_CHARS = 32;

/** Ends keys and values. Key 1 is a new string; a larger one is one more than the number of an earlier string. */
export const END = 0;
export const NEW_KEY = 1;

/** The classes that errors keep in a clone, as with structuredClone(). DOMException is not in V8. @type {any[]} */
export const ERRORS = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  DOMException,
];
