import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pythonJson } from '../../src/calls/python-json.ts';

test('the text is what json.dumps writes by default', () => {
  expect(pythonJson({ b: [1, 2.5, null], a: { 'ü"\n': true }, empty: {}, none: [] })).toBe(
    '{"b": [1, 2.5, null], "a": {"\\u00fc\\"\\n": true}, "empty": {}, "none": []}',
  );
  expect(pythonJson('😀\u007f\u0001')).toBe('"\\ud83d\\ude00\u007f\\u0001"');
  expect(pythonJson([1e-7, 1e21])).toBe('[1e-07, 1e+21]');
});

test('any JSON value reads back equal, and the text is ASCII', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = pythonJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).toMatch(/^[\x20-\x7f]*$/);
    }),
  );
});
