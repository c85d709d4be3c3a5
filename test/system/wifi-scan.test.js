import assert from 'node:assert/strict';
import test from 'node:test';
import { parseScan } from '../../app/system/wifi-setup.js';
import { RSN, station } from '../support/access-point.js';

test('networks are sorted by their signal, and listed once', () => {
  const text = [
    station('far', -80, RSN),
    station('near', -40),
    station('far', -60, RSN),
    station('pitv-setup', -20, RSN),
  ].join('');
  assert.deepEqual(parseScan(text, 'pitv-setup'), [
    { name: 'near', secured: false, signalDbm: -40 },
    { name: 'far', secured: true, signalDbm: -60 },
  ]);
  assert.deepEqual(parseScan('', ''), []);
});

test('WEP counts as secured', () => {
  const text = station('old', -50).replace('ESS', 'ESS Privacy');
  assert.equal(parseScan(text, '')[0].secured, true);
});

test('names are decoded; those that nobody can enter are left out', () => {
  const text = [
    station('Caf\\xc3\\xa9 \\xed\\x95\\x9c', -10),
    station('\\xff\\xfe', -20),
    station('', -30),
    station('\\x00\\x00\\x00', -40),
    station('a\\x0aBSS b', -50),
    station('<b>\\x5c\\x20', -60),
  ].join('');
  assert.deepEqual(
    parseScan(text, '').map(({ name }) => name),
    ['Café 한', 'aBSS b', '<b>\\ '],
  );
});

test('the list is limited', () => {
  const text = Array.from({ length: 500 }, (_, n) => station(`n${n}`, -n)).join('');
  assert.equal(parseScan(text, '').length, 40);
});
