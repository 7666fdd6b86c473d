import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Executor } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { fileEditor, presetTools } from '../../src/index.ts';
import { elsewhere, openThere } from '../executor/elsewhere.ts';
import { openTool, textOf } from '../open-tool.ts';
import { open, patch } from './open-preset.ts';

const options = { maxFileSize: 100 };

describe.runIf(process.platform === 'linux')('a file of which the system tells no size', () => {
  test('a file of unknown size is refused if it is too large', async () => {
    const { call } = await open('read_file', { options });
    expect(textOf(await call({ file_path: '/proc/self/status' }))).toBe(
      'Error: /proc/self/status has more than the 100 bytes that this tool takes. Use the terminal for parts of it.',
    );
  });

  test('a file of unknown size is read if it is small', async () => {
    const { call } = await open('read_file', { options });
    const result = await call({ file_path: '/proc/sys/kernel/ostype' });
    expect(textOf(result)).toContain(`1  ${readFileSync('/proc/sys/kernel/ostype', 'latin1')}`);
  });

  test('a file of unknown size is not read without a bound to look for an edit of it', async () => {
    const { call } = await openTool(fileEditor({ maxFileSize: 100 }));
    const result = await call({ command: 'undo_edit', path: '/proc/self/pagemap' });
    expect(textOf(result)).toContain('/proc/self/pagemap has more than the ');
  });
});

describe('edit', () => {
  test.each([
    ['in a file', { old_string: 'a', new_string: 'b'.repeat(60), expected_replacements: 2 }],
    ['in a new file', { file_path: 'new.txt', old_string: '', new_string: 'b'.repeat(101) }],
  ])('edit refuses a text that is too long %s', async (_, input) => {
    const { call, read, folder } = await open('edit', { files: { 'a.txt': 'a a' }, options });
    const result = await call({ file_path: 'a.txt', ...input });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('more than the 100 that this tool takes');
    expect(read('a.txt')).toBe('a a');
    expect(existsSync(join(folder, 'new.txt'))).toBe(false);
  });
});

describe('apply_patch', () => {
  const files = { 'a.txt': 'one\n', 'b.txt': 'b\n' };
  const change = ['*** Update File: a.txt', '@@', '-one', '+1'];

  test.each([
    ['Add', [...change, '*** Add File: b.txt', '+c']],
    ['Move', ['*** Update File: a.txt', '*** Move to: b.txt', '@@', '-one', '+1']],
  ])('apply_patch changes nothing if a file is there already: %s', async (verb, lines) => {
    const { call, read } = await open('apply_patch', { files });
    const result = await call({ patch: patch(...lines) });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(`${verb} File Error: File already exists: b.txt`);
    expect([read('a.txt'), read('b.txt')]).toEqual(['one\n', 'b\n']);
  });

  test('apply_patch writes over no file that another program makes while the patch is applied', async () => {
    const there = elsewhere();
    const executor: Executor = {
      ...there.executor,
      execute: async (session, request, context) =>
        request['act'] === 'isTaken' ? { isTaken: false } : await there.executor.execute(session, request, context),
    };
    const { call, session } = await openThere(presetTools().apply_patch(), {}, { ...there, executor });
    writeFileSync(join(session.workingDirectory, 'b.txt'), 'b\n');
    const result = await call({ patch: patch('*** Add File: b.txt', '+c') });
    expect(textOf(result)).toContain('b.txt exists already');
    expect(readFileSync(join(session.workingDirectory, 'b.txt'), 'utf8')).toBe('b\n');
  });

  test('apply_patch changes a file that it moves to its own name', async () => {
    const { call, read } = await open('apply_patch', { files });
    const lines = ['*** Update File: a.txt', '*** Move to: ./a.txt', '@@', '-one', '+1'];
    expect((await call({ patch: patch(...lines) })).isError).toBeUndefined();
    expect(read('a.txt')).toBe('1\n');
  });
});
