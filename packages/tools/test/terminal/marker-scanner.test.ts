import fc from 'fast-check';
import { expect, test } from 'vitest';

import { MarkerScanner } from '../../src/terminal/marker-scanner.ts';

const NONCE = '0123456789abcdef0123456789abcdef';
const PROMPT = 'prompt:/tmp/x';
const START = `\x1e${NONCE}S7\x1e${NONCE}`;
const END = `\x1e${NONCE}E7\x1f130\x1f42\x1f/usr/bin/python\x1f/a\x1fb\n c\x1e${NONCE}`;

function scan(chunks: readonly string[]): { text: string; marks: unknown[] } {
  let text = '';
  const marks: unknown[] = [];
  const scanner = new MarkerScanner(NONCE, PROMPT, {
    text: (part) => {
      text += part;
    },
    started: (sequence) => marks.push(['started', sequence, text]),
    ended: (report) => marks.push(['ended', report, text]),
    prompted: () => marks.push(['prompted', text]),
  });
  for (const chunk of chunks) scanner.write(chunk);
  return { text, marks };
}

test('marks are reported in the order of the stream, and the text has none of them', () => {
  expect(scan([`a${START}b${END}c\x1e${PROMPT}\x1ed`])).toEqual({
    text: 'abcd',
    marks: [
      ['started', 7, 'a'],
      [
        'ended',
        {
          sequence: 7,
          exitCode: 130,
          backgroundPid: 42,
          pythonPath: '/usr/bin/python',
          workingDirectory: '/a\x1fb\n c',
        },
        'ab',
      ],
      ['prompted', 'abc'],
    ],
  });
});

test('the scanner finds the same markers wherever the stream is cut', () => {
  const whole = `x\x1ey${START}out\x1e${NONCE.slice(0, 8)}put${END}\x1e${PROMPT}\x1e.`;
  for (let cut = 0; cut <= whole.length; cut++)
    expect(scan([whole.slice(0, cut), whole.slice(cut)])).toEqual(scan([whole]));
  expect(scan(whole.split(''))).toEqual(scan([whole]));
});

test('text that does not hold the random number is never taken for a mark, and comes through whole', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '\x1e',
      '\x1f',
      `\x1e${NONCE.slice(0, -1)}`,
      NONCE,
      'E7\x1f0',
      `\x1e${'f'.repeat(32)}E1\x1f0\x1e`,
      '\x1eprompt:/var/',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece), (chunks) => {
      fc.pre(!chunks.join('').includes(`\x1e${NONCE}`));
      const { text, marks } = scan([...chunks, '.']);
      expect(marks).toEqual([]);
      expect(text).toBe(`${chunks.join('')}.`);
    }),
  );
});

test('P12: an opening without end is handed on as text instead of growing', () => {
  const { text, marks } = scan([`\x1e${NONCE}E`, 'x'.repeat(40_000), 'y']);
  expect(marks).toEqual([]);
  expect(text.length).toBeGreaterThan(40_000);
});
