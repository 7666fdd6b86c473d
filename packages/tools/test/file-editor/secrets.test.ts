import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ToolResult } from '@conv/core/tool';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { maskLines } from '../../src/file-editor/mask-lines.ts';
import { fileEditor } from '../../src/index.ts';
import { fakeSecrets, type FakeSecrets } from '../support/fake-secrets.ts';
import { openTool, temporaryFolder, textOf } from '../open-tool.ts';

const VALUE = 'tok-1f9c7be2a4d84c6e';
const KEY = `-----BEGIN KEY-----\n${'abcdefgh\n'.repeat(5)}-----END KEY-----`;
const MASK = '<secret-hidden>';

interface Editor {
  readonly call: (input: Record<string, unknown>) => Promise<ToolResult>;
  readonly path: string;
  readonly content: () => string;
}

async function openEditor(
  content?: string,
  secrets: FakeSecrets = fakeSecrets({ TOKEN: VALUE, KEY }),
): Promise<Editor> {
  const fixture = await openTool(fileEditor(), temporaryFolder(), { secrets });
  const path = join(fixture.session.workingDirectory, 'file.txt');
  if (content !== undefined) writeFileSync(path, content);
  return { path, content: () => readFileSync(path, 'utf8'), call: (input) => fixture.call({ path, ...input }) };
}

describe('P9: what the file editor shows', () => {
  test('P9: the file editor shows no values of secrets, and lines keep their numbers', async () => {
    const editor = await openEditor(`a=${VALUE}\n${KEY}\nlast ${VALUE}\n`);
    const viewed = textOf(await editor.call({ command: 'view' }));
    const lines = viewed.split('\n').slice(1);
    expect(lines).toEqual([
      `     1\ta=${MASK}`,
      ...[2, 3, 4, 5, 6, 7, 8].map((number) => `     ${number}\t${MASK}`),
      `     9\tlast ${MASK}`,
    ]);
    expect(viewed).toContain('(9 lines)');
  });

  test('P9: the text is masked before it is cut: by lines, at the end of a long line, around an edit', async () => {
    const editor = await openEditor(`${'x'.repeat(1992)}${VALUE}\n${KEY}\nmore\n`);
    expect(textOf(await editor.call({ command: 'view', view_range: [4, 6] }))).not.toContain('abcdefgh');
    expect(textOf(await editor.call({ command: 'view' }))).not.toContain('tok-1f9c');
    const edited = await editor.call({ command: 'str_replace', old_str: 'more', new_str: 'less' });
    expect(textOf(edited)).toMatch(/ 9\tless/);
    expect(JSON.stringify(edited)).not.toContain('abcdefgh');
    expect(JSON.stringify(edited)).not.toContain(VALUE);
    expect(JSON.stringify(await editor.call({ command: 'undo_edit' }))).not.toMatch(/abcdefgh|tok-1f9c/);
  });

  test('P9: the text is masked whatever the line endings of the file are', async () => {
    const editor = await openEditor(`${KEY}\nmore\n`.replaceAll('\n', '\r\n'));
    const viewed = textOf(await editor.call({ command: 'view' }));
    expect(viewed).not.toContain('abcdefgh');
    expect(viewed).toMatch(/8 lines, CRLF[^]* 8\tmore$/);
    const edited = await editor.call({ command: 'insert', insert_line: 8, new_str: 'end' });
    expect(JSON.stringify(edited)).not.toContain('abcdefgh');
    expect(editor.content()).toBe(`${KEY}\nmore\nend\n`.replaceAll('\n', '\r\n'));
  });
});

describe('P9: an edit that would write the mask over a value', () => {
  test.each([
    ['create', { command: 'create', file_text: `a=${MASK}\n` }],
    ['insert', { command: 'insert', insert_line: 1, new_str: `a=${MASK}` }],
    ['str_replace', { command: 'str_replace', old_str: 'other', new_str: `a=${MASK}` }],
    ['str_replace of a masked line', { command: 'str_replace', old_str: `a=${MASK}`, new_str: `b=${MASK}` }],
    ['str_replace that drops the masked line', { command: 'str_replace', old_str: `a=${MASK}\nother`, new_str: 'b' }],
  ])(
    'P9: an edit that writes the mask by %s is refused with an explanation, and nothing is changed',
    async (name, input) => {
      const before = name === 'create' ? undefined : `a=${VALUE}\nother\n`;
      const editor = await openEditor(before);
      const result = await editor.call(input);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/<secret-hidden>.*Nothing was changed.*terminal.*, as \$ and the name/);
      expect(before === undefined ? existsSync(editor.path) : editor.content()).toBe(before ?? false);
    },
  );

  test('P9: an edit beside the masked value is allowed', async () => {
    const editor = await openEditor(`a=${VALUE}\nother\n`);
    await editor.call({ command: 'str_replace', old_str: 'other', new_str: 'new' });
    await editor.call({ command: 'insert', insert_line: 0, new_str: 'first' });
    expect(editor.content()).toBe(`first\na=${VALUE}\nnew\n`);
  });

  test('P9: an edit is allowed where the file itself holds the mask', async () => {
    const editor = await openEditor(`a=${MASK}\n`);
    const result = await editor.call({ command: 'str_replace', old_str: `a=${MASK}`, new_str: `b=${MASK}` });
    expect(result.isError).toBeFalsy();
    expect(editor.content()).toBe(`b=${MASK}\n`);
  });

  test('P9: an edit that writes the mask is possible in a conversation without secrets', async () => {
    const editor = await openEditor(undefined, fakeSecrets({}));
    await editor.call({ command: 'create', file_text: `a=${MASK}\n` });
    expect(editor.content()).toBe(`a=${MASK}\n`);
  });
});

test('P9: masking keeps the number of lines, whatever stands between values', () => {
  const part = fc.constantFrom(VALUE, KEY, MASK, '\n', '\r\n', 'abcdefgh', '-----', '', 'text');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const { masker } = fakeSecrets({ TOKEN: VALUE, KEY });
      const text = parts.join('');
      const masked = maskLines(masker, text);
      expect(masked.split('\n')).toHaveLength(text.split('\n').length);
      expect(masked).not.toContain(VALUE);
      expect(masked).not.toContain(KEY);
    }),
  );
});
