import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

const file = new URL('../../../bench/results.schema.json', import.meta.url);
const validate = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(file, 'utf8')),
);

/** Asserts that results match bench/results.schema.json. @param {unknown} results */
export function checkSchema(results) {
  // JSON drops what a file does not hold, such as undefined.
  validate(JSON.parse(JSON.stringify(results)));
  assert.deepEqual(validate.errors, null);
}
