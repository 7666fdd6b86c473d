import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ScreenText } from '../../src/terminal/screen-text.ts';

function render(...chunks: readonly string[]): string {
  let seen = '';
  const screen = new ScreenText((text) => {
    seen += text;
  });
  for (const chunk of chunks) screen.write(chunk);
  screen.flush();
  return seen;
}

test.each([
  ['plain text', 'a\tb\nc', 'a\tb\nc'],
  ['colours', '\x1b[1;38;5;9mred\x1b[m!', 'red!'],
  ['a title', '\x1b]0;title\x07text', 'text'],
  ['a title that ends with a string terminator', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['character sets and modes', '\x1b(B\x1b[?25l\x1b=x\x1b[?25h', 'x'],
  ['a carriage return before a line feed', 'a\r\nb\r\n', 'a\nb\n'],
  ['a carriage return that overwrites', 'long line\rnew', 'new' + 'g line'],
  ['a cleared line', 'long line\r\x1b[Knew', 'new'],
  ['a backspace', 'abc\b\bX', 'aXc'],
  ['a backspace at the start', '\b\bx', 'x'],
  ['cursor movement within the line', 'abc\x1b[2DX\x1b[1Cd\x1b[1GY', 'YXc' + 'd'],
  ['a bell and other controls', 'a\x07\x00\x0eb\x7f', 'ab'],
  ['letters beyond ASCII', 'grüße 🦊\n', 'grüße 🦊\n'],
])('%s is shown as a reader would see it', (_, written, seen) => {
  expect(render(written)).toBe(seen);
});

test('the screen shows the same text wherever the stream is cut', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '🦊',
    '\n',
    '\r',
    '\b',
    '\x1b[31m',
    '\x1b[K',
    '\x1b]0;t\x07',
    '\x1b]8;;u\x1b\\',
    '\x1b(B',
    '\x1b[2D',
    '\t',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(200), { maxLength: 6 }), (pieces, cuts) => {
      const whole = pieces.join('');
      const at = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((one, other) => one - other);
      const chunks = [0, ...at].map((start, index) => whole.slice(start, at[index] ?? whole.length));
      expect(render(...chunks)).toBe(render(whole));
    }),
  );
});

test('text without control characters comes through unchanged', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }).filter((text) => !/(?![\t\n])\p{Cc}/u.test(text))),
      (chunks) => {
        expect(render(...chunks)).toBe(chunks.join(''));
      },
    ),
  );
});

test('P12: a line without end is handed on in parts', () => {
  const parts: string[] = [];
  const screen = new ScreenText((text) => parts.push(text));
  for (let count = 0; count < 100; count++) screen.write('x'.repeat(4096));
  expect(parts.length).toBeGreaterThan(3);
  screen.flush();
  expect(parts.join('')).toBe('x'.repeat(409_600));
});

test('an escape sequence that never ends hides no more than its own start', () => {
  const text = `\x1b[${'1'.repeat(10_000)}`;
  expect(render(text, 'after').endsWith('after')).toBe(true);
});
