import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('without a file there are no hooks', async () => {
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
  await expect(loadHooks(folder)).rejects.toMatchObject({ code: 'UNREADABLE', cause: { code: 'EISDIR' } });
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
