import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

const file = new URL('../../bench/results.schema.json', import.meta.url);
const validate = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(file, 'utf8')),
);

/** Fails unless the results have the form that the committed schema says. @param {unknown} results */
export function checkForm(results) {
  // As a reader gets them: through JSON.
  validate(JSON.parse(JSON.stringify(results)));
  assert.deepEqual(validate.errors, null);
}
