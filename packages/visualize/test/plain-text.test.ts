import { expect, test } from 'vitest';

import { plainJson, plainLine, plainText, visibleText } from '../src/text/index.ts';

const HOSTILE = 'a\u001b[2Jb\u001b]0;title\u0007c\u009b5Ad\u202ee\rf\u2028g\u0000h';
/** Characters that a terminal would obey or hide. */
const OBEYED = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n]]/v;

test('plainText leaves nothing that a terminal would obey, and plainLine no line break either', () => {
  expect(plainText(HOSTILE)).not.toMatch(OBEYED);
  expect(plainLine(HOSTILE)).not.toMatch(OBEYED);
  expect(plainLine(HOSTILE)).not.toContain('\n');
});

test('plainText shows unassigned characters that a terminal draws as nothing', () => {
  for (const code of [0x2065, 0xfff0, 0xe0000, 0xe0002, 0xe0080, 0xe0fff])
    expect(plainText(String.fromCodePoint(code))).toMatch(/^\\u/);
});

test('visibleText shows every hidden character and drops nothing', () => {
  const shown = visibleText('rm \u001b]0;-rf ~\u0007 x\r\ny');
  expect(shown).toBe(String.raw`rm \x1b]0;-rf ~\x07 x\x0d` + '\ny');
  expect(visibleText(HOSTILE)).not.toMatch(OBEYED);
});

test('plainJson is JSON of the same value and has no character that a terminal would obey', () => {
  const json = plainJson(JSON.stringify({ [HOSTILE]: [HOSTILE, '\u{e0041}', '\ud800'] }, null, 2));
  expect(json).not.toMatch(OBEYED);
  expect(JSON.parse(json)).toEqual({ [HOSTILE]: [HOSTILE, '\u{e0041}', '\ud800'] });
});

test('visibleText shows what leaves no mark: joiners, fillers, selectors, odd blanks and line ends', () => {
  for (const code of [
    0x200b, 0x200d, 0x2060, 0x3164, 0x115f, 0xffa0, 0x34f, 0xfe0f, 0xe0100, 0x2800, 0xa0, 0x2003, 0x2028,
  ])
    expect(visibleText(`rm a${String.fromCodePoint(code)}b`)).toMatch(/^rm a\\[xu][\da-f{}]+b$/);
  expect(visibleText('rm größe 文件 🙂\n\tx')).toBe('rm größe 文件 🙂\n\tx');
});
