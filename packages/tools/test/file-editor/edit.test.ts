import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  lstatSync,
} from 'node:fs';
import { join } from 'node:path';

import type { ToolResult } from '@conv/core/tool';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { fileEditor } from '../../src/index.ts';
import { openTool, textOf, type ToolFixture } from '../open-tool.ts';

interface Editor extends ToolFixture {
  readonly at: (name: string) => string;
  readonly replace: (name: string, old_str: string, new_str: string) => Promise<ToolResult>;
  readonly insert: (name: string, insert_line: number, new_str: string) => Promise<ToolResult>;
  readonly view: (name: string) => Promise<ToolResult>;
  readonly undo: (name: string) => Promise<ToolResult>;
}

async function openEditor(factory = fileEditor()): Promise<Editor> {
  const fixture = await openTool(factory);
  const at = (name: string): string => join(fixture.session.workingDirectory, name);
  return {
    ...fixture,
    at,
    replace: (name, old_str, new_str) => fixture.call({ command: 'str_replace', path: at(name), old_str, new_str }),
    insert: (name, insert_line, new_str) => fixture.call({ command: 'insert', path: at(name), insert_line, new_str }),
    view: (name) => fixture.call({ command: 'view', path: at(name) }),
    undo: (name) => fixture.call({ command: 'undo_edit', path: at(name) }),
  };
}

function identity(path: string): readonly unknown[] {
  const { ino, size, mtimeNs } = lstatSync(path, { bigint: true });
  return [ino, size, mtimeNs];
}

describe('create', () => {
  test('create writes a new file and its folders', async () => {
    const { call, at } = await openEditor();
    const result = await call({ command: 'create', path: at('a/b/c.txt'), file_text: 'x\ny\n' });
    expect(readFileSync(at('a/b/c.txt'), 'utf8')).toBe('x\ny\n');
    expect(result).toMatchObject({
      fields: { command: 'create', path: at('a/b/c.txt'), prev_exist: false, new_content: 'x\ny\n' },
    });
    expect(result.fields).not.toHaveProperty('old_content');
    expect(readdirSync(at('a/b'))).toEqual(['c.txt']);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a symbolic link that leads nowhere', (path: string) => symlinkSync('/nonexistent/target', path)],
  ])('create never replaces %s', async (_, make) => {
    const { call, at } = await openEditor();
    make(at('there'));
    const before = identity(at('there'));
    const result = await call({ command: 'create', path: at('there'), file_text: 'x' });
    expect(result).toMatchObject({ isError: true, fields: { prev_exist: true } });
    expect(identity(at('there'))).toEqual(before);
  });

  test('P13: create needs file_text', async () => {
    const { call, at } = await openEditor();
    const result = await call({ command: 'create', path: at('a') });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('file_text');
  });
});

describe('str_replace', () => {
  test('str_replace replaces the one occurrence and shows the lines around it', async () => {
    const { replace, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one\ntwo\nthree\n');
    const result = await replace('a.txt', 'two', '2\n2.5');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n2\n2.5\nthree\n');
    expect(textOf(result)).toContain('     2\t2\n     3\t2.5\n     4\tthree');
    expect(result.fields).toMatchObject({
      prev_exist: true,
      old_content: 'one\ntwo\nthree\n',
      new_content: 'one\n2\n2.5\nthree\n',
    });
  });

  test('str_replace deletes without new_str', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one two');
    await call({ command: 'str_replace', path: at('a.txt'), old_str: ' two' });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one');
  });

  test.each([
    ['several occurrences', 'x\ny\nx\nx\n', 'x', 'z', /3 times.*lines 1, 3, 4/],
    ['overlapping occurrences', 'aaa', 'aa', 'b', /2 times/],
    ['no occurrence', 'abc\n', 'xyz', 'b', /does not occur/],
    ['different spaces', 'if x:\n\treturn 1\n', 'if x:\n    return 1', 'b', /spaces alone is at line 1/],
    ['line numbers of the view', 'abc\n', '     1\tabc', 'b', /line numbers/],
    ['nothing to change', 'abc\n', 'abc', 'abc', /same/],
    ['an empty old_str', 'abc\n', '', 'abc', /empty/],
  ])('P13: str_replace refuses %s and leaves the file as it is', async (_, content, wanted, replacement, said) => {
    const { replace, at } = await openEditor();
    writeFileSync(at('a.txt'), content);
    const result = await replace('a.txt', wanted, replacement);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(said);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe(content);
  });

  test.each([
    ['CRLF', 'one\r\ntwo\r\nthree\r\n', 'one\ntwo', 'a\nb\nc', 'a\r\nb\r\nc\r\nthree\r\n'],
    ['LF', 'one\ntwo\n', 'one\r\ntwo', 'a\r\nb', 'a\nb\n'],
    ['mixed line endings', 'one\r\ntwo\nthree\r\n', 'two\nthree', 'a\nb', 'one\r\na\nb\r\n'],
    ['no line ending at the end', 'one\ntwo', 'two', '2', 'one\n2'],
    ['a byte order mark', '\ufeffone\n', 'one', '1', '\ufeff1\n'],
    ['tabs', '\tone\n\ttwo\n', '\ttwo', '\t2', '\tone\n\t2\n'],
    ['carriage returns of its own', 'a\rb\r\nc', 'b\nc', 'x\ny', 'a\rx\r\ny'],
  ])('str_replace keeps %s', async (_, content, wanted, replacement, expected) => {
    const { replace, at } = await openEditor();
    writeFileSync(at('a.txt'), content);
    expect(textOf(await replace('a.txt', wanted, replacement))).toMatch(/^Edited/);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe(expected);
  });

  test.each([
    ['Latin-1', Buffer.from('caf\xe9 one \xff\n', 'latin1'), Buffer.from('caf\xe9 \xfc \xff\n', 'latin1')],
    ['UTF-16LE', Buffer.from('\ufeffcafé one 🦊\n', 'utf16le'), Buffer.from('\ufeffcafé ü 🦊\n', 'utf16le')],
    [
      'UTF-16BE',
      Buffer.from('\ufeffcafé one\n', 'utf16le').swap16(),
      Buffer.from('\ufeffcafé ü\n', 'utf16le').swap16(),
    ],
  ])('str_replace keeps %s byte for byte', async (_, before, after) => {
    const { replace, at } = await openEditor();
    writeFileSync(at('a.txt'), before);
    await replace('a.txt', 'one', 'ü');
    expect(readFileSync(at('a.txt'))).toEqual(after);
  });

  test('str_replace refuses a character that the file’s encoding lacks', async () => {
    const { replace, at } = await openEditor();
    const bytes = Buffer.from('caf\xe9\n', 'latin1');
    writeFileSync(at('a.txt'), bytes);
    const result = await replace('a.txt', 'caf', '漢字');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('latin1');
    expect(readFileSync(at('a.txt'))).toEqual(bytes);
  });

  const MARK = 'UNIQUE\u2603MARK';
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n\0]/g, ''));
  const uniform = fc
    .tuple(fc.array(line, { minLength: 2, maxLength: 8 }), fc.constantFrom('\n', '\r\n'))
    .map(([lines, ending]) => lines.join(ending));
  const mixed = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '')), { minLength: 1, maxLength: 8 })
    .map((lines) => lines.flat().join(''));

  test.each([
    ['of one line ending', uniform, /[^]/],
    ['of mixed line endings, within a line', mixed, /^[^\r\n]*$/],
  ])('any part of any text %s, replaced and replaced back, gives the same bytes', async (_, texts, allowed) => {
    const { replace, view, at } = await openEditor();
    let replaced = 0;
    const property = fc.asyncProperty(texts, fc.nat(), fc.nat(19), async (text, from, length) => {
      // the first line ending stays, so that the file still says which one it has
      const first = text.indexOf('\n') + 1;
      const start = first + (from % (text.length - first + 1));
      const wanted = text.slice(start, start + 1 + length).replaceAll('\r\n', '\n');
      fc.pre(wanted.isWellFormed() && !wanted.includes('\r') && allowed.test(wanted));
      writeFileSync(at('a.txt'), text);
      const before = readFileSync(at('a.txt'));
      await view('a.txt');
      if (!(await replace('a.txt', wanted, MARK)).isError) {
        replaced++;
        await replace('a.txt', MARK, wanted);
      }
      expect(readFileSync(at('a.txt'))).toEqual(before);
    });
    await fc.assert(property, { numRuns: 60 });
    expect(replaced).toBeGreaterThan(10);
  });
});

describe('insert', () => {
  test.each([
    ['at the start', 'one\n', 0, 'x', 'x\none\n'],
    ['in between', 'one\ntwo\n', 1, 'x\ny', 'one\nx\ny\ntwo\n'],
    ['at the end', 'one\n', 1, 'x\n', 'one\nx\n'],
    ['after a last line without ending', 'one', 1, 'x', 'one\nx'],
    ['into an empty file', '', 0, 'x', 'x\n'],
    ['with CRLF', 'one\r\ntwo\r\n', 1, 'x\ny', 'one\r\nx\r\ny\r\ntwo\r\n'],
    ['an empty line', 'one\ntwo\n', 1, '', 'one\n\ntwo\n'],
  ])('%s', async (_, content, line, added, expected) => {
    const { insert, at } = await openEditor();
    writeFileSync(at('a.txt'), content);
    expect((await insert('a.txt', line, added)).isError).toBeFalsy();
    expect(readFileSync(at('a.txt'), 'utf8')).toBe(expected);
  });

  test('P13: insert refuses a line that is not there, and says which are', async () => {
    const { insert, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one\ntwo\n');
    const result = await insert('a.txt', 3, 'x');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('2 lines');
  });
});

describe('undo_edit', () => {
  test('undo_edit takes edits back one by one, the creation last', async () => {
    const { call, replace, insert, undo, at } = await openEditor();
    await call({ command: 'create', path: at('a.txt'), file_text: 'one\n' });
    await replace('a.txt', 'one', 'two');
    await insert('a.txt', 1, 'three');
    expect((await undo('a.txt')).fields).toMatchObject({ old_content: 'two\nthree\n', new_content: 'two\n' });
    await undo('a.txt');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
    expect(textOf(await undo('a.txt'))).toContain('is deleted');
    expect(readdirSync(at('.'))).toEqual([]);
    expect((await undo('a.txt')).isError).toBe(true);
  });

  test('undo_edit gives back the very bytes', async () => {
    const { replace, undo, at } = await openEditor();
    const bytes = Buffer.from('a\r\nb\nc\xe9', 'latin1');
    writeFileSync(at('a.txt'), bytes);
    await replace('a.txt', 'a\nb', 'x');
    await undo('a.txt');
    expect(readFileSync(at('a.txt'))).toEqual(bytes);
  });

  test('undo_edit is refused if another program has changed the file since', async () => {
    const { replace, undo, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one');
    await replace('a.txt', 'one', 'two');
    writeFileSync(at('a.txt'), 'theirs');
    expect((await undo('a.txt')).isError).toBe(true);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('theirs');
  });

  test('undo_edit is refused without an edit', async () => {
    const { undo, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one');
    expect(await undo('a.txt')).toMatchObject({ isError: true });
  });
});

describe('a file that another program changed', () => {
  test('a file that another program changed is not edited until it is viewed again', async () => {
    const { replace, view, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one\n');
    await view('a.txt');
    writeFileSync(at('a.txt'), 'one\ntheirs\n');
    const refused = await replace('a.txt', 'one', 'two');
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/changed by another program.*view it again/);
    await view('a.txt');
    expect((await replace('a.txt', 'one', 'two')).isError).toBeFalsy();
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('two\ntheirs\n');
  });

  test('a file that was changed and changed back is the file that was seen', async () => {
    const { replace, view, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one\n');
    await view('a.txt');
    writeFileSync(at('a.txt'), 'other');
    writeFileSync(at('a.txt'), 'one\n');
    expect((await replace('a.txt', 'one', 'two')).isError).toBeFalsy();
  });
});

describe('the file that is written', () => {
  test('a written file keeps its mode', async () => {
    const { replace, at } = await openEditor();
    writeFileSync(at('run.sh'), 'echo one\n');
    chmodSync(at('run.sh'), 0o4751);
    await replace('run.sh', 'one', 'two');
    expect(statSync(at('run.sh')).mode & 0o7777).toBe(0o4751);
  });

  test('a written file behind a symbolic link is edited, and the link stays', async () => {
    const { replace, undo, at } = await openEditor();
    mkdirSync(at('real'));
    writeFileSync(at('real/a.txt'), 'one');
    symlinkSync('real/a.txt', at('link'));
    await replace('link', 'one', 'two');
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('real/a.txt'), 'utf8')).toBe('two');
    await undo('real/a.txt');
    expect(readFileSync(at('link'), 'utf8')).toBe('one');
  });

  test('a written file with another hard link stays one file', async () => {
    const { replace, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one and more');
    linkSync(at('a.txt'), at('b.txt'));
    await replace('a.txt', 'one and more', '1');
    expect(readFileSync(at('b.txt'), 'utf8')).toBe('1');
    expect(statSync(at('a.txt')).ino).toBe(statSync(at('b.txt')).ino);
  });

  test('a written file has no temporary file left beside it', async () => {
    const { replace, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one');
    await replace('a.txt', 'one', 'two');
    expect(readdirSync(at('.'))).toEqual(['a.txt']);
  });

  test('P7: a written file is left alone by a call that was aborted', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one');
    const edit = { command: 'str_replace', path: at('a.txt'), old_str: 'one', new_str: 'two' };
    await expect(call(edit, AbortSignal.abort('stop'))).rejects.toBe('stop');
    const controller = new AbortController();
    const running = call(edit, controller.signal);
    controller.abort('later');
    await expect(running).rejects.toBe('later');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one');
    expect(readdirSync(at('.'))).toEqual(['a.txt']);
  });
});

test('P12: contents that would make the event too large are left out', async () => {
  const { replace, at } = await openEditor();
  writeFileSync(at('a.txt'), `one\n${'\u0001'.repeat(60_000)}${'x'.repeat(400_000)}`);
  const result = await replace('a.txt', 'one', 'two');
  expect(result.fields).not.toHaveProperty('old_content');
  expect(JSON.stringify(result).length).toBeLessThan(1 << 20);
  expect(readFileSync(at('a.txt'), 'utf8')).toMatch(/^two/);
});

test('a file above the limit is refused', async () => {
  const { replace, at } = await openEditor(fileEditor({ maxFileSize: 10 }));
  writeFileSync(at('a.txt'), 'one and more text');
  expect(textOf(await replace('a.txt', 'one', '1'))).toContain('10');
  writeFileSync(at('b.txt'), 'one');
  expect((await replace('b.txt', 'one', 'x'.repeat(11))).isError).toBe(true);
  expect(readFileSync(at('b.txt'), 'utf8')).toBe('one');
});
