import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { systemPlatform } from '@conv/core/platform';
import type { ConversationInfo } from '@conv/openhands/rest';
import { expect, onTestFinished, test } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';
import { openAllowed } from '../../src/workspace/open-allowed.ts';
import { replaceFile } from '../../src/workspace/replace-file.ts';
import { newConversation, startServer } from '../support/test-server.ts';

/** A folder `work` with the folder `sub`, beside the folder `private` with a key, and the links of an agent. */
function places(): { work: string; sub: string; secret: string; link: () => void } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'conv-places-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [work, secret] = [join(base, 'work'), join(base, 'private')];
  const sub = join(work, 'sub');
  for (const folder of [sub, secret]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(sub, 'page.html'), 'a page');
  writeFileSync(join(secret, 'page.html'), 'the key');
  const link = (): void => {
    renameSync(sub, `${sub}-before`);
    symlinkSync(secret, sub);
  };
  return { work, sub, secret, link };
}

test.runIf(existsSync('/proc/self/fd'))(
  'a file of a workspace is shown as it was checked, although a link is put in its place meanwhile',
  async () => {
    const { work, link } = places();
    let isChecked = false;
    const server = await startServer({
      sessionKeys: ['session'],
      approverKeys: ['approver'],
      // asked for when the path was found to be inside, and the file is not open yet
      protect: () => {
        if (isChecked) link();
        isChecked = false;
        return { addresses: [], paths: ['/nowhere'] };
      },
    });
    const headers = { 'x-session-api-key': 'session' };
    const body = {
      ...newConversation(work),
      confirmation_policy: { kind: 'AlwaysConfirm' },
      workspace: { working_dir: work },
    };
    const { id } = (await server.call<ConversationInfo>('POST', '/api/conversations', body, headers)).body;
    const read = () =>
      server.call<string>('GET', `/api/conversations/${id}/workspace/sub/page.html`, undefined, headers);
    const whole = await read();
    expect([whole.body, whole.headers.get('content-type')]).toEqual(['a page', 'text/html; charset=utf-8']);
    isChecked = true;
    const raced = await read();
    expect([raced.status, JSON.stringify(raced.body)]).toEqual([404, expect.not.stringContaining('the key')]);
  },
);

test('a file of a workspace comes in the part that is asked for, and not again if it is the same', async () => {
  const { work } = places();
  const server = await startServer();
  const { id } = await server.make({ workspace: { working_dir: work } });
  const read = (headers: Record<string, string>) =>
    server.call<string>('GET', `/api/conversations/${id}/workspace/sub/page.html`, undefined, headers);
  const part = await read({ range: 'bytes=2-5' });
  expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, 'page', 'bytes 2-5/6']);
  const same = await read({ 'if-none-match': part.headers.get('etag') ?? '' });
  expect([same.status, same.body]).toEqual([304, '']);
  expect((await read({ range: 'bytes=90-' })).status).toBe(416);
});

test.runIf(existsSync('/proc/self/fd'))(
  'a file is written into the folder that was checked, although a link is put in its place meanwhile',
  async () => {
    const { sub, secret, link } = places();
    const write = async (file: NodeJS.WritableStream): Promise<void> => {
      link();
      await pipeline(Readable.from(['new']), file);
    };
    await replaceFile(join(sub, 'page.html'), write, systemPlatform);
    expect(readFileSync(join(`${sub}-before`, 'page.html'), 'utf8')).toBe('new');
    expect(readdirSync(secret).map((name) => readFileSync(join(secret, name), 'utf8'))).toEqual(['the key']);
    await expect(replaceFile(join(sub, 'other'), async () => {}, systemPlatform)).rejects.toThrow('is being replaced');
  },
);

/** Returns how often this process has a file open. */
function timesOpen(file: string): number {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // it was that of the list
      return undefined;
    }
  });
  return targets.filter((target) => target === file).length;
}

test.runIf(existsSync('/proc/self/fd'))('no answer with a file keeps it open', async () => {
  const { work, sub } = places();
  const file = join(sub, 'page.html');
  const server = await startServer({ workspaceHost: { workingDirectory: work, environment: {} } });
  const { id } = await server.make({ workspace: { working_dir: work } });
  const asked: RequestInit[] = [
    {},
    { method: 'HEAD' },
    { headers: { range: 'bytes=2-5' } },
    { headers: { range: 'bytes=90-' } },
    { headers: { 'if-match': '"another"' } },
  ];
  for (const path of [`conversations/${id}/workspace/sub/page.html`, `file/download?path=${file}`])
    for (const init of asked) {
      const answer = await fetch(`${server.url}/api/${path}`, init);
      await answer.text();
      expect([answer.status, path]).not.toEqual([404, path]);
    }
  await expect.poll(() => timesOpen(file)).toBe(0);
});

test.runIf(existsSync('/proc/self/fd'))('a file is not kept open when the check of what was opened fails', async () => {
  const { work, sub } = places();
  const file = join(sub, 'page.html');
  linkSync(file, join(work, 'other'));
  let asked = 0;
  const own = (): readonly string[] => {
    asked += 1;
    // the path is checked before
    if (asked > 1) throw new Error('cannot tell');
    return [];
  };
  await expect(openAllowed(new AllowedFolders([work], own), file, 'session')).rejects.toThrow('cannot tell');
  expect(timesOpen(file)).toBe(0);
});
