import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeLines } from '../src/react/code-tokens.ts';
import { languageOf } from '../src/react/code-text.tsx';

const LANGUAGES = ['bash', 'c', 'cpp', 'css', 'diff', 'dockerfile', 'go', 'html', 'ini', 'java', 'js', 'json', 'jsx'];
const MORE = ['md', 'mjs', 'py', 'python', 'rs', 'rust', 'sh', 'sql', 'toml', 'ts', 'tsx', 'typescript', 'yaml', 'yml'];

const textOf = (code: string, language: string): string | undefined =>
  codeLines(code, language)
    ?.map((line) => line.map(({ text }) => text).join(''))
    .join('\n');
const kindsOf = (code: string, language: string): readonly string[] =>
  (codeLines(code, language) ?? []).flat().flatMap(({ text, kind }) => (kind === undefined ? [] : [`${kind} ${text}`]));

describe('the pieces of a code', () => {
  test('the pieces of a code are the code when they are joined, in every language and for every text', () => {
    const code = fc.array(
      fc.constantFrom('/*', '*/', '"', '`${', '}', '\n', 'for ', '# ', "'''", '<a b="', '>', 'é', '1.5'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...LANGUAGES, ...MORE),
        fc.oneof(
          code.map((all) => all.join('')),
          fc.string(),
        ),
        (language, text) => {
          expect(textOf(text, language)).toBe(text);
        },
      ),
    );
  });

  test('the pieces of a code have the kinds of their language', () => {
    expect(kindsOf("const n = 1; // it's\n'a'", 'js')).toEqual([
      'keyword const',
      'number 1',
      "comment // it's",
      "text 'a'",
    ]);
    expect(kindsOf('{"a": [true, 2]}', 'json')).toEqual(['name "a"', 'keyword true', 'number 2']);
    expect(kindsOf('def f():\n  return "x"', 'py')).toEqual(['keyword def', 'name f', 'keyword return', 'text "x"']);
  });

  test('the pieces of a code of a comment are comment in each of its lines', () => {
    expect(codeLines('/* for\n   return */\nx', 'ts')).toEqual([
      [{ text: '/* for', kind: 'comment' }],
      [{ text: '   return */', kind: 'comment' }],
      [{ text: 'x', kind: undefined }],
    ]);
  });

  test('the pieces of a code are none in a language without a grammar', () => {
    expect(codeLines('10 PRINT', 'basic')).toBeUndefined();
    expect(codeLines('x', '__proto__')).toBeUndefined();
  });
});

test('the ending of the name of a file tells its language, or the name itself', () => {
  expect(['src/a.TS', 'Dockerfile', 'a/b.test.py', String.raw`C:\x\y.rs`, '', '.'].map(languageOf)).toEqual([
    'ts',
    'dockerfile',
    'py',
    'rs',
    undefined,
    undefined,
  ]);
});
