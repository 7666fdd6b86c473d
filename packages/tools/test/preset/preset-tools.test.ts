import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { ToolError, type Sandbox, type ToolContext, type ToolResult } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { presetTools } from '../../src/index.ts';
import { openTool, temporaryFolder, textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { open, patch } from './open-preset.ts';

const VALUE = 'tok-1f9c7be2a4d84c6e';
const MASK = '<secret-hidden>';

const secrets = (): Partial<ToolContext> => ({ secrets: fakeSecrets({ TOKEN: VALUE }) });

describe('P9: a tool of the presets', () => {
  test('P9: a tool of the presets shows no value of a secret, neither in its text nor in its fields', async () => {
    const files = { 'a.txt': `one\ntoken ${VALUE}\ntwo\n` };
    const setting = { files, more: secrets() };
    const results = [
      await (await open('read_file', setting)).call({ file_path: 'a.txt' }),
      await (await open('write_file', setting)).call({ file_path: 'a.txt', content: 'new\n' }),
      await (await open('edit', setting)).call({ file_path: 'a.txt', old_string: 'two', new_string: '2' }),
      await (
        await open('apply_patch', setting)
      ).call({
        patch: patch('*** Update File: a.txt', '@@', '-two', '+2'),
      }),
    ];
    expect(results.map(({ isError = false }) => isError)).toEqual([false, false, false, false]);
    expect(JSON.stringify(results)).not.toContain(VALUE);
    expect(textOf(results[0] as ToolResult)).toContain(`     2  token ${MASK}\n`);
  });

  test('P9: a tool of the presets does not find a file by the value of a secret in it', async () => {
    const { call } = await open('grep', { files: { 'a.txt': `token ${VALUE}\n` }, more: secrets() });
    expect((await call({ pattern: 'tok-1f' })).fields).toMatchObject({ matches: [] });
  });

  test('P9: a tool of the presets never writes the mask in the place of a value', async () => {
    const files = { 'a.txt': `token ${VALUE}\n` };
    for (const [name, input] of [
      ['write_file', { file_path: 'a.txt', content: `token ${MASK}\n` }],
      ['edit', { file_path: 'a.txt', old_string: 'token', new_string: MASK }],
      ['edit', { file_path: 'b.txt', old_string: '', new_string: MASK }],
      ['apply_patch', { patch: patch('*** Add File: b.txt', `+${MASK}`) }],
    ] as const) {
      const { call, read, folder } = await open(name, { files, more: secrets() });
      expect(await call(input)).toMatchObject({ isError: true });
      expect(read('a.txt')).toBe(`token ${VALUE}\n`);
      expect(existsSync(join(folder, 'b.txt'))).toBe(false);
    }
  });
});

describe('a file that is no plain text', () => {
  test.each([
    ['read_file', { file_path: 'a.bin' }],
    ['edit', { file_path: 'a.bin', old_string: 'a', new_string: 'b' }],
    ['apply_patch', { patch: patch('*** Update File: a.bin', '@@', '-a', '+b') }],
  ] as const)('a file is refused by name by %s if it is binary', async (name, input) => {
    const { call } = await open(name, { files: { 'a.bin': Buffer.from([1, 0, 2, 3]) } });
    const result = await call(input);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('a.bin is a binary file');
  });

  test.each([
    ['read_file', { file_path: 'a.txt' }],
    ['write_file', { file_path: 'a.txt', content: 'y'.repeat(101) }],
    ['edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' }],
  ] as const)('a file is refused by name by %s if it is huge', async (name, input) => {
    const setting = { files: { 'a.txt': 'x'.repeat(200) }, options: { maxFileSize: 100 } };
    const { call, read } = await open(name, setting);
    const result = await call(input);
    expect(textOf(result)).toMatch(/bytes, more than the 100 that this tool takes/);
    expect(read('a.txt')).toBe('x'.repeat(200));
  });

  test('a file that is no plain text keeps its line endings and its encoding when it is edited', async () => {
    const files = { 'a.txt': 'one\r\ntwo\r\nthree\r\n', 'b.txt': Buffer.from('\u{feff}größe\n', 'utf16le') };
    const edit = await open('edit', { files });
    await edit.call({ file_path: 'a.txt', old_string: 'one\ntwo', new_string: '1\n2' });
    await edit.call({ file_path: 'b.txt', old_string: 'ö', new_string: 'ä' });
    expect(edit.read('a.txt')).toBe('1\r\n2\r\nthree\r\n');
    expect(readFileSync(join(edit.folder, 'b.txt')).toString('utf16le')).toBe('\u{feff}gräße\n');
    const patched = await open('apply_patch', { files });
    await patched.call({ patch: patch('*** Update File: a.txt', '@@', ' one', '-two', '+2') });
    expect(patched.read('a.txt')).toBe('one\r\n2\r\nthree\r\n');
  });
});

describe('read_file', () => {
  test('read_file cuts a line that is too long for an answer, and says how much is left', async () => {
    const { call } = await open('read_file', { files: { 'a.txt': `${'x'.repeat(300_000)}\nend\n` } });
    const result = await call({ file_path: 'a.txt' });
    expect(JSON.stringify(result).length).toBeLessThan(300_000);
    expect(textOf(result)).toContain('more characters in this line]');
    expect(result.fields).toMatchObject({ is_truncated: true, lines_shown: [1, 1], total_lines: 2 });
  });
});

describe('glob and grep', () => {
  const files = { '.github/a.yml': 'x', 'src/a.ts': 'x', 'src/b.js': 'x', 'a{1}.ts': 'x', '.env': 'x' };

  test.each([
    ['**/*.{ts,js}', ['a{1}.ts', 'src/a.ts', 'src/b.js']],
    ['**/.github/*.yml', ['.github/a.yml']],
    [String.raw`a\{1\}.ts`, ['a{1}.ts']],
    ['src/**', ['src/a.ts', 'src/b.js']],
    ['**/[!a].*', ['src/b.js']],
    ['*.yml', []],
  ])('%s finds %j', async (pattern, names) => {
    const { call, folder } = await open('glob', { files });
    const { fields = {} } = await call({ pattern });
    expect((fields['files'] as string[]).toSorted()).toEqual(names.map((name) => join(folder, name)));
  });

  test('glob and grep take time in proportion to the text, whatever expression a model writes', async () => {
    const text = { 'a.txt': 'a'.repeat(5_000), ['a'.repeat(200)]: 'x' };
    const grep = await open('grep', { files: text });
    expect((await grep.call({ pattern: '(a+)+$x' })).fields).toMatchObject({ matches: [] });
    const glob = await open('glob', { files: text });
    expect((await glob.call({ pattern: `${'*a'.repeat(60)}b` })).fields).toMatchObject({ files: [] });
  });

  test('glob and grep refuse an expression that cannot be read', async () => {
    const { call } = await open('grep', { files });
    const result = await call({ pattern: '(a' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('Invalid pattern: ');
  });

  test('glob and grep refuse a pattern that is very long, and a folder in the place of a pattern', async () => {
    const { call } = await open('grep', { files });
    expect(textOf(await call({ pattern: 'a'.repeat(1001) }))).toBe(
      'Invalid pattern: expected at most 1000 characters, found 1001',
    );
    const glob = await open('glob', { files });
    expect((await glob.call({ pattern: '/' })).isError).toBe(true);
  });

  test('glob and grep look at one line after the other', async () => {
    const { call, folder } = await open('grep', { files: { 'a.txt': 'one\r\ntwo\r\n', 'b.txt': 'one\n\ntwo\n' } });
    expect((await call({ pattern: String.raw`one\s+two` })).fields).toMatchObject({ matches: [] });
    expect((await call({ pattern: '^$' })).fields).toMatchObject({ matches: [join(folder, 'b.txt')] });
    const both = (await call({ pattern: '^one$' })).fields?.['matches'];
    expect(both).toHaveLength(2);
  });

  test('glob and grep say that there are more than 100 files', async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}.txt`, 'x']));
    for (const name of ['glob', 'grep'] as const) {
      const { call } = await open(name, { files: many });
      const result = await call({ pattern: name === 'glob' ? '*.txt' : 'x' });
      expect(result.fields).toMatchObject({ truncated: true });
      expect(textOf(result)).toContain('[Results truncated to first 100 files.');
    }
  });

  test('glob and grep do not follow links to folders', async () => {
    const { call, folder } = await open('glob', { files });
    symlinkSync(folder, join(folder, 'loop'));
    expect((await call({ pattern: 'b.js' })).fields).toMatchObject({ files: [join(folder, 'src/b.js')] });
  });
});

describe('apply_patch', () => {
  test('apply_patch changes nothing if a part of the patch does not fit', async () => {
    const { call, read, folder } = await open('apply_patch', { files: { 'a.txt': 'one\n', 'b.txt': 'two\n' } });
    const parts = ['*** Update File: a.txt', '@@', '-one', '+1', '*** Add File: c.txt', '+c', '*** Update File: b.txt'];
    const result = await call({ patch: patch(...parts, '@@', '-other', '+2') });
    expect(textOf(result)).toBe('Invalid Context 0:\nother');
    expect(read('a.txt')).toBe('one\n');
    expect(existsSync(join(folder, 'c.txt'))).toBe(false);
  });

  test('apply_patch changes nothing if a later file would be too large', async () => {
    const { call, read } = await open('apply_patch', { files: { 'a.txt': 'one\n' }, options: { maxFileSize: 100 } });
    const parts = ['*** Update File: a.txt', '@@', '-one', '+1', '*** Add File: b.txt', `+${'b'.repeat(101)}`];
    expect(textOf(await call({ patch: patch(...parts) }))).toContain('b.txt has 101 bytes, more than the 100');
    expect(read('a.txt')).toBe('one\n');
  });

  test('apply_patch changes nothing if it names one file twice', async () => {
    const { call, read, folder } = await open('apply_patch', { files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' } });
    symlinkSync('a.txt', join(folder, 'link.txt'));
    for (const second of ['*** Update File: ./a.txt', '*** Update File: link.txt']) {
      const parts = ['*** Update File: a.txt', '@@', '-one', '+1', second, '@@', '-two', '+2'];
      expect(textOf(await call({ patch: patch(...parts) }))).toContain('Duplicate Path: ');
    }
    const moved = ['*** Update File: a.txt', '*** Move to: b.txt', '@@', '-one', '+1', '*** Delete File: b.txt'];
    expect(textOf(await call({ patch: patch(...moved) }))).toContain('Duplicate Path: ');
    expect([read('a.txt'), read('b.txt')]).toEqual(['one\ntwo\n', 'b\n']);
  });

  test('apply_patch says which files it changed if a later one cannot be written', async () => {
    const { call, read, folder } = await open('apply_patch', { files: { 'a.txt': 'one\n', 'b.txt': 'b\n' } });
    const parts = ['*** Update File: a.txt', '@@', '-one', '+1', '*** Add File: b.txt/c.txt', '+c'];
    const result = await call({ patch: patch(...parts) });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`These files were changed before it: ${join(folder, 'a.txt')}`);
    expect(read('a.txt')).toBe('1\n');
  });

  test('apply_patch does not leave the working folder through a link', async () => {
    const { call, folder } = await open('apply_patch');
    const outside = temporaryFolder();
    symlinkSync(outside, join(folder, 'out'));
    const result = await call({ patch: patch('*** Add File: out/a.txt', '+a') });
    expect(textOf(result)).toBe('Absolute or escaping paths are not allowed');
    expect(existsSync(join(outside, 'a.txt'))).toBe(false);
  });
});

describe('planning_file_editor', () => {
  test('planning_file_editor makes the plan with its sections, changes it, and changes no other file', async () => {
    const { call, folder, read } = await open('planning_file_editor', { files: { 'a.txt': 'one\n' } });
    const plan = join(folder, '.agents_tmp/PLAN.md');
    expect(read('.agents_tmp/PLAN.md')).toMatch(/^# 1\. OBJECTIVE\n\n# 2\. CONTEXT SUMMARY\n/);
    const filled = await call({ command: 'insert', path: plan, insert_line: 1, new_str: 'To do it.' });
    expect(filled.isError).toBeUndefined();
    expect(read('.agents_tmp/PLAN.md')).toContain('# 1. OBJECTIVE\nTo do it.\n');
    expect((await call({ command: 'view', path: join(folder, 'a.txt') })).isError).toBeUndefined();
    const refused = await call({ command: 'create', path: join(folder, 'b.txt'), file_text: 'x' });
    expect(textOf(refused)).toBe(
      `Operation 'create' is not allowed on file '${join(folder, 'b.txt')}'. Only the following files can be edited: ['${plan}']`,
    );
  });

  test('planning_file_editor keeps an existing plan: in the working folder, or at plan_path', async () => {
    const { folder } = await open('planning_file_editor', { files: { 'PLAN.md': 'mine\n' } });
    expect(existsSync(join(folder, '.agents_tmp'))).toBe(false);
    const path = join(folder, 'other.md');
    const { call } = await openTool(presetTools().planning_file_editor({ plan_path: path }), folder);
    expect((await call({ command: 'view', path })).isError).toBeUndefined();
    const relative = presetTools().planning_file_editor({ plan_path: 'other.md' });
    await expect(openTool(relative, folder)).rejects.toThrow('plan_path must be an absolute path, got: other.md');
  });
});

test('a tool of the presets reaches no file that its sandbox does not give', async () => {
  const sandbox: Sandbox = {
    name: 'narrow',
    open: async () => ({
      rules: 'Nothing is here.',
      confine: () => {
        throw new ToolError('FAILED', 'no programs');
      },
      place: (path) => {
        throw new ToolError('FAILED', `The sandbox does not have ${path}.`);
      },
      close: async () => {},
    }),
  };
  const setting = { files: { 'a.txt': 'one\n' }, options: { sandbox } };
  for (const [name, input] of [
    ['read_file', { file_path: 'a.txt' }],
    ['write_file', { file_path: 'a.txt', content: 'x' }],
    ['edit', { file_path: 'a.txt', old_string: 'one', new_string: 'x' }],
    ['list_directory', {}],
    ['glob', { pattern: '*.txt' }],
    ['grep', { pattern: 'one' }],
    ['apply_patch', { patch: patch('*** Update File: a.txt', '@@', '-one', '+1') }],
  ] as const) {
    const { call, read } = await open(name, setting);
    const result = await call(input);
    expect([name, result.isError]).toEqual([name, true]);
    expect(textOf(result)).toContain('The sandbox does not have ');
    expect(read('a.txt')).toBe('one\n');
  }
});
