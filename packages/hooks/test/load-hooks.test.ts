import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { loadHooks } from '../src/index.ts';
import { temporaryFolder } from './support/session.ts';

function folderWith(text: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.openhands'));
  writeFileSync(join(folder, '.openhands', 'hooks.json'), text);
  return folder;
}

const matchers = [{ matcher: 'terminal', hooks: [{ type: 'command', command: './check.sh', timeout: 5 }] }];

test.each([{ PreToolUse: matchers }, { pre_tool_use: matchers }, { hooks: { PreToolUse: matchers } }])(
  'the file of a folder is read in each of its forms: %j',
  async (config) => {
    const hooks = await loadHooks(folderWith(JSON.stringify(config)));
    expect(hooks?.config).toEqual({ pre_tool_use: matchers });
  },
);

test('no hooks are there without a file', async () => {
  expect(await loadHooks(temporaryFolder())).toBeUndefined();
  expect(await loadHooks(join(temporaryFolder(), 'nowhere'))).toBeUndefined();
});

test('a file that is not JSON is refused UNREADABLE with its path and cause', async () => {
  const folder = folderWith('{"PreToolUse": [');
  await expect(loadHooks(folder)).rejects.toMatchObject({
    code: 'UNREADABLE',
    message: `[UNREADABLE] ${folder}/.openhands/hooks.json: expected JSON, found other text`,
    cause: expect.any(SyntaxError),
  });
});

test('a file that cannot be read is refused UNREADABLE and not taken for an absent one', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.openhands', 'hooks.json'), { recursive: true });
  chmodSync(join(folder, '.openhands', 'hooks.json'), 0o700);
  await expect(loadHooks(folder)).rejects.toMatchObject({
    code: 'UNREADABLE',
    message: expect.stringContaining('expected a file'),
  });
});

test('an invalid file is refused with its path and the member', async () => {
  const folder = folderWith('{"PreToolUse": [{"hooks": [{"command": "x", "timeout": "5"}]}]}');
  await expect(loadHooks(folder)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringMatching(/hooks\.json: PreToolUse\[0\]\.hooks\[0\]\.timeout: expected whole seconds/),
  });
});

test('a file may name functions that the program gives', async () => {
  const folder = folderWith('{"stop": [{"hooks": [{"type": "function", "name": "f"}]}]}');
  await expect(loadHooks(folder)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  expect(await loadHooks(folder, { functions: { f: () => undefined } })).toBeDefined();
});

test.skipIf(process.platform === 'win32')('a pipe in the place of the file is refused at once', async () => {
  const folder = folderWith('');
  const path = join(folder, '.openhands', 'hooks.json');
  rmSync(path);
  execFileSync('mkfifo', [path]);
  await expect(loadHooks(folder)).rejects.toMatchObject({ code: 'UNREADABLE' });
});

test('a link is followed inside of the folder, and refused if it leads out of it', async () => {
  const folder = folderWith(JSON.stringify({ PreToolUse: matchers }));
  const path = join(folder, '.openhands', 'hooks.json');
  renameSync(path, join(folder, 'hooks.json'));
  symlinkSync('../hooks.json', path);
  expect((await loadHooks(folder))?.config).toEqual({ pre_tool_use: matchers });
  const other = join(temporaryFolder(), 'secret.json');
  writeFileSync(other, '{"key": "secret"}');
  rmSync(path);
  symlinkSync(other, path);
  await expect(loadHooks(folder)).rejects.toMatchObject({
    code: 'UNREADABLE',
    message: `[UNREADABLE] ${path}: expected a file in ${realpathSync(folder)}, found a link to ${realpathSync(other)}; put the file itself there`,
  });
});

test('a file of more than 1 MiB is refused, and one behind a linked folder is read', async () => {
  const folder = folderWith(JSON.stringify({ PreToolUse: matchers }).padEnd(1024 * 1024));
  const link = join(temporaryFolder(), 'link');
  symlinkSync(folder, link);
  expect((await loadHooks(link))?.config).toEqual({ pre_tool_use: matchers });
  writeFileSync(join(folder, '.openhands', 'hooks.json'), ' '.repeat(1024 * 1024 + 1));
  await expect(loadHooks(folder)).rejects.toMatchObject({ code: 'UNREADABLE' });
});
