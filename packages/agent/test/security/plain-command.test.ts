import fc from 'fast-check';
import { parse } from 'unbash';
import { describe, expect, test } from 'vitest';
import { plainCommand } from '../../src/security/shell/plain-command.ts';

/** The words of a script that is one command, as the grammar reads them. */
function wordsOf(text: string): readonly string[] | undefined {
  const { commands, errors = [] } = parse(text);
  const [statement] = commands;
  if (errors.length > 0 || commands.length !== 1 || statement?.command.type !== 'Command') return undefined;
  const { name, prefix, suffix } = statement.command;
  if (name === undefined || prefix.length > 0) return undefined;
  return [name.value, ...suffix.map((part) => (part.type === 'Word' ? part.value : `no word: ${part.type}`))];
}

const piece = fc.constantFrom(
  ...'a b-c --d=e /f ./g ~ ~h * ? [ ] { } ( ) ; & | < > # ! = += $ ` \\ \' " , : @ % + ^ if time [[ x=1 \n \t 2>&1'.split(
    ' ',
  ),
  ' ',
  ' ',
  "'q r'",
  '"s t"',
  "'$u'",
  '"$u"',
  '"a\\"b"',
  "''",
  '\u00e4',
);

describe('plain commands', () => {
  test('P10: plain commands have the words that the grammar gives them', () => {
    let seen = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `run ${pieces.join('')}`;
        const plain = plainCommand(text);
        if (plain === undefined) return;
        seen += 1;
        expect(plain.map((word) => word.text)).toEqual(wordsOf(text));
      }),
      { numRuns: 20_000 },
    );
    expect(seen).toBeGreaterThan(1000);
  });

  test.each([
    '',
    'if',
    'x=1 run',
    'a; b',
    'a | b',
    'a > b',
    'a $b',
    'a "$b"',
    'a `b`',
    "a 'b",
    'a "b',
    'export x+=1',
    'a # b',
  ])('P10: a command %j is left to the grammar', (text) => {
    expect(plainCommand(text)).toBeUndefined();
  });
});
