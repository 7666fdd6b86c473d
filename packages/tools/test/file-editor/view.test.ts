import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { fileEditor } from '../../src/index.ts';
import { openTool, textOf, type ToolFixture } from '../open-tool.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function openEditor(): Promise<ToolFixture & { at: (name: string) => string }> {
  const fixture = await openTool(fileEditor());
  return { ...fixture, at: (name) => join(fixture.session.workingDirectory, name) };
}

describe('view of a file', () => {
  test('view numbers the lines of a file', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.txt'), 'one\n\ttwo\n\nfour');
    const result = await call({ command: 'view', path: at('a.txt') });
    expect(textOf(result)).toBe(`${at('a.txt')} (4 lines):\n     1\tone\n     2\t\ttwo\n     3\t\n     4\tfour`);
    expect(result).toMatchObject({ fields: { command: 'view', path: at('a.txt'), prev_exist: true } });
  });

  test.each([
    [
      [2, 3],
      ['2', '3'],
    ],
    [
      [3, -1],
      ['3', '4', '5'],
    ],
    [
      [4, 99],
      ['4', '5'],
    ],
    [[5, 5], ['5']],
  ])('view shows the lines of view_range %j', async (range, lines) => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.txt'), '1\n2\n3\n4\n5\n');
    const shown = textOf(await call({ command: 'view', path: at('a.txt'), view_range: range }));
    expect(shown.split('\n').slice(1)).toEqual(lines.map((line) => `     ${line}\t${line}`));
  });

  test.each([[[0, 2]], [[6, 7]], [[3, 2]], [[1]], [[1, 2, 3]], [[-1, 2]]])(
    'P13: view refuses view_range %j',
    async (range) => {
      const { call, at } = await openEditor();
      writeFileSync(at('a.txt'), '1\n2\n3\n4\n5\n');
      const result = await call({ command: 'view', path: at('a.txt'), view_range: range });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('view_range');
    },
  );

  test('P12: view stops before a result is too long and says how to go on', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.txt'), Array.from({ length: 9000 }, (_, index) => `line ${index + 1}\n`).join(''));
    const first = textOf(await call({ command: 'view', path: at('a.txt') }));
    expect(first.length).toBeLessThan(30_000);
    const [, next = '', last = ''] = /view_range \[(\d+), (\d+)\]/.exec(first) ?? [];
    expect(first).toContain(`\tline ${Number(next) - 1}\n`);
    const second = textOf(await call({ command: 'view', path: at('a.txt'), view_range: [Number(next), Number(last)] }));
    expect(second).toContain(`\tline ${next}\n`);
  });

  test('P12: view shortens a very long line', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.js'), 'x'.repeat(1_000_000));
    const shown = textOf(await call({ command: 'view', path: at('a.js') }));
    expect(shown.length).toBeLessThan(3000);
    expect(shown).toContain('998000 more characters');
  });

  test('view names line endings and encoding when they are not the usual', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.txt'), Buffer.from('caf\xe9\r\n', 'latin1'));
    expect(textOf(await call({ command: 'view', path: at('a.txt') }))).toContain(
      '(1 line, latin1, CRLF):\n     1\tcafé',
    );
  });

  test('view says that an empty file is empty', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.txt'), '');
    expect(textOf(await call({ command: 'view', path: at('a.txt') }))).toContain('(empty)');
  });

  test('view shows an image as an image', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.bin'), PNG);
    const result = await call({ command: 'view', path: at('a.bin') });
    expect(result.content.at(-1)).toEqual({
      cache_prompt: false,
      type: 'image',
      image_urls: [`data:image/png;base64,${PNG.toString('base64')}`],
    });
  });

  test('P12: view refuses an image that an event cannot hold', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('a.png'), Buffer.concat([PNG, Buffer.alloc(800_000)]));
    expect(textOf(await call({ command: 'view', path: at('a.png') }))).toContain('smaller copy');
  });
});

describe('view of a folder', () => {
  test('view lists two levels of a folder without what is hidden', async () => {
    const { call, at } = await openEditor();
    mkdirSync(at('src/deep/deeper'), { recursive: true });
    mkdirSync(at('.git'));
    for (const name of ['b.txt', 'src/a.ts', 'src/deep/no.ts', '.env']) writeFileSync(at(name), '');
    symlinkSync('src', at('link'));
    const folder = at('.').replace(/\/$/, '');
    const shown = textOf(await call({ command: 'view', path: folder })).split('\n');
    expect(shown).toEqual([
      `Files and folders in ${folder}, two levels deep:`,
      ...['b.txt', 'link', 'src/', 'src/a.ts', 'src/deep/'].map((name) => `${folder}/${name}`),
      '[2 hidden in the folder itself are left out.]',
    ]);
  });

  test('P12: view of a folder of many files is cut and says so', async () => {
    const { call, at } = await openEditor();
    for (let number = 0; number < 520; number++) writeFileSync(at(`${number}`), '');
    const shown = textOf(await call({ command: 'view', path: at('.') }));
    expect(shown.split('\n').length).toBeLessThan(510);
    expect(shown).toContain('there are more');
  });
});

describe('P13: what cannot be done is a result that says why', () => {
  const commands = ['view', 'create', 'str_replace', 'insert', 'undo_edit'] as const;
  const rest = { file_text: 'x', old_str: 'a', new_str: 'b', insert_line: 0 };

  test.each(commands)(
    '%s takes a relative path from the working folder and names the absolute one',
    async (command) => {
      const { call, at } = await openEditor();
      const before = { command: 'create', path: at('sub/a.txt'), file_text: 'a' } as const;
      if (command !== 'create') await call(before);
      const result = await call({ command, path: 'sub/a.txt', ...rest });
      expect(result).toMatchObject({ fields: { command, path: at('sub/a.txt') } });
      expect(result.isError).not.toBe(true);
    },
  );

  test.each(commands)('%s of no path, and of a path that a shell would complete, is refused', async (command) => {
    const { call } = await openEditor();
    expect(textOf(await call({ command, path: '', ...rest }))).toBe('The path is empty.');
    expect(await call({ command, path: '~/a.txt', ...rest })).toMatchObject({ isError: true });
    expect(textOf(await call({ command, path: '~/a.txt', ...rest }))).toContain(join(homedir(), 'a.txt'));
  });

  test.each(['view', 'str_replace', 'insert', 'undo_edit'])(
    'P13: the command %s of a missing file says so',
    async (command) => {
      const { call, at } = await openEditor();
      const result = await call({ command, path: at('missing'), ...rest });
      expect(result).toMatchObject({ isError: true, fields: { command, path: at('missing'), prev_exist: false } });
      expect(textOf(result)).toContain('does not exist');
    },
  );

  test.each(['str_replace', 'insert', 'undo_edit', 'create'])(
    'P13: the command %s of a folder says so',
    async (command) => {
      const { call, at } = await openEditor();
      expect(textOf(await call({ command, path: at('.'), ...rest }))).toContain('folder');
    },
  );

  test.each(['view', 'str_replace', 'insert'])('P13: the command %s of a binary file says so', async (command) => {
    const { call, at } = await openEditor();
    writeFileSync(at('a'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
    expect(textOf(await call({ command, path: at('a'), ...rest }))).toContain('binary');
  });

  test.each(['view', 'str_replace'])('%s of a pipe does not wait for it', async (command) => {
    const { call, at } = await openEditor();
    spawnSync('mkfifo', [at('pipe')]);
    expect(textOf(await call({ command, path: at('pipe'), ...rest }))).toContain('not a regular file');
  });

  test('P13: a file below a file is a result that says why', async () => {
    const { call, at } = await openEditor();
    writeFileSync(at('file'), '');
    expect(textOf(await call({ command: 'create', path: at('file/a'), file_text: '' }))).toMatch(
      /below something that is not a folder/,
    );
  });

  test('P13: a path with a NUL character is a result that says why', async () => {
    const { call } = await openEditor();
    expect(await call({ command: 'view', path: '/a\0b' })).toMatchObject({ isError: true });
  });

  test.each([
    ['str_replace', 'old_str'],
    ['insert', 'insert_line'],
    ['create', 'file_text'],
  ])('P13: the command %s without %s says what is missing', async (command, name) => {
    const { call, at } = await openEditor();
    if (command !== 'create') writeFileSync(at('a'), 'x');
    const result = await call({ command, path: at('a') });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(name);
  });
});

test('two names of one file are one resource', async () => {
  const { tool, at } = await openEditor();
  mkdirSync(at('real'));
  symlinkSync('real', at('link'));
  const key = (path: string): readonly string[] | undefined => tool.resources({ command: 'view', path });
  expect(key(at('link/new/a.txt'))).toEqual([`file:${at('real/new/a.txt')}`]);
  expect(key(at('link/../real/new/a.txt'))).toEqual(key(at('link/new/a.txt')));
});

test('the kinds on the wire are the file editor’s', async () => {
  const { tool, call, at } = await openEditor();
  const action = tool.wire.toAction(
    tool.parse({ command: 'create', path: at('a.txt'), file_text: 'hi\n', old_str: null }),
  );
  expect(action).toEqual({ command: 'create', path: at('a.txt'), file_text: 'hi\n', kind: 'FileEditorAction' });
  const result = await call({ command: 'create', path: at('a.txt'), file_text: 'hi\n' });
  const observation = tool.wire.toObservation(result, action);
  expect(Object.keys(observation)).toEqual([
    'content',
    'is_error',
    'command',
    'path',
    'prev_exist',
    'new_content',
    'kind',
  ]);
  expect(tool.wire.definition['kind']).toBe('FileEditorTool');
});
