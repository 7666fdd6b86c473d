import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ConversationInfo } from '@conv/openhands/rest';
import { expect, onTestFinished, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { newConversation, startServer } from '../support/test-server.ts';

const PEOPLE: Readonly<Record<string, Principal>> = {
  ann: { name: 'ann', scopes: ['read', 'run', 'approve'] },
  bob: { name: 'bob', scopes: ['read', 'run', 'approve'] },
};

test('the folder of a conversation opens foreign and server files to no key without admin', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startServer({
    persistenceDir: folder,
    protect: () => ({ addresses: [], paths: [join(folder, 'settings')] }),
    principal: (key) => PEOPLE[key],
    sessionKeys: ['operator'],
  });
  const start = async (key: string, workingDir: string): Promise<string> => {
    const body = {
      ...newConversation(folder),
      confirmation_policy: { kind: 'AlwaysConfirm' },
      workspace: { working_dir: workingDir },
    };
    return (await server.call<ConversationInfo>('POST', '/api/conversations', body, { 'x-session-api-key': key })).body
      .id;
  };
  const ofBob = (await start('bob', join(folder, 'work'))).replaceAll('-', '');
  const files = ['page.txt', 'settings/secret.key', `${ofBob}/events/event-1.json`];
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), '"text"');
  }
  const id = await start('ann', folder);
  const inside = await start('ann', join(folder, ofBob));
  const read = async (key: string, path: string): Promise<number> =>
    (await server.call('GET', `/api/conversations/${path}`, undefined, { 'x-session-api-key': key })).status;
  const statuses = (key: string): Promise<readonly number[]> =>
    Promise.all(
      [...files.map((file) => `${id}/workspace/${file}`), `${inside}/workspace/events/event-1.json`].map((path) =>
        read(key, path),
      ),
    );
  expect(await statuses('ann')).toEqual([200, 404, 404, 404]);
  expect(await statuses('operator')).toEqual([200, 200, 200, 200]);
});
