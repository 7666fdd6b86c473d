import { existsSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { BashEvent, Page } from '@conv/openhands/rest';
import { beforeEach, expect, it } from 'vitest';

import { archiveFolder } from '../../src/workspace/archive.ts';
import { newConversation, startServer, type TestServer } from '../support/test-server.ts';

const environment = { PATH: process.env['PATH'] ?? '' };
let server: TestServer;

beforeEach(async () => {
  server = await startServer({ workspaceHost: { environment, workingDirectory: '/' } });
});

function query(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters).toString()}`;
}

/** Sends two requests on one connection. */
async function inOneGo(first: string, second: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const lines = (path: string, connection: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: ${connection}\r\n\r\n`;
  socket.write(lines(first, 'keep-alive') + lines(second, 'close'));
  return text(socket);
}

it.runIf(existsSync('/proc/self/status'))(
  'a file that says it is empty comes whole, and the next answer stands behind it',
  async () => {
    const answers = await inOneGo(query('/api/file/download', { path: '/proc/self/status' }), '/alive');
    const [first = '', ...rest] = answers.split('HTTP/1.1 200 OK').slice(1);
    expect(rest.length).toBe(1);
    expect(first).toMatch(/transfer-encoding: chunked[^]*Pid:/i);
    expect(rest[0]).toContain('"status":"ok"');
  },
);

it.runIf(existsSync('/proc/self/status'))(
  'folders where none can be are refused, and are not tried for ever',
  async () => {
    const made = await server.call('POST', query('/api/file/create_directory', { path: '/proc/none/of/it' }));
    expect([made.status, made.body['detail']]).toEqual([404, 'No directory can be made there']);
    const form = new FormData();
    form.append('file', new Blob(['x']), 'x');
    const sent = await fetch(server.url + query('/api/file/upload', { path: '/proc/none/file' }), {
      method: 'POST',
      body: form,
    });
    expect(sent.status).toBe(404);
    const started = await server.call('POST', '/api/conversations', {
      ...newConversation(server.folder),
      workspace: { working_dir: '/proc/none/of/it' },
    });
    expect(started.status).toBe(422);
  },
);

it('many make the same folders at once', async () => {
  const path = join(server.folder, 'a/b/c/d');
  const asked = Array.from({ length: 8 }, () => server.call('POST', query('/api/file/create_directory', { path })));
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  expect(existsSync(path)).toBe(true);
});

it('commands that no program can be started with are refused and leave no trace', async () => {
  for (const command of ['echo a\0b', 'x'.repeat(3_000_000)])
    for (const path of ['execute_bash_command', 'start_bash_command']) {
      const { status, body } = await server.call('POST', `/api/bash/${path}`, { command });
      expect({ status, body }).toEqual({
        status: 400,
        body: { detail: expect.stringMatching(/^The command cannot be started: it /) },
      });
    }
  const { body } = await server.call<Page<BashEvent>>('GET', '/api/bash/bash_events/search');
  expect(body.items).toEqual([]);
  expect(server.reported).toEqual([]);
});

it('an argument that git cannot take is refused', async () => {
  mkdirSync(join(server.folder, 'repository'));
  const path = join(server.folder, 'repository');
  await server.call('POST', '/api/bash/execute_bash_command', {
    command: 'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one',
    cwd: path,
  });
  for (const asked of [
    query('/api/file/archive', { path, format: 'git-delta', base_ref: '\0' }),
    query('/api/file/archive', { path, format: 'git-delta', exclude: 'a\0b' }),
    query('/api/git/changes', { path, ref: '\0' }),
    query('/api/git/diff', { path: join(path, 'x'), ref: '\0' }),
  ])
    expect((await server.call('GET', asked)).status).toBe(400);
});

it('a pattern with many stars takes no more time than another', async () => {
  const folder = join(server.folder, 'packed');
  mkdirSync(join(folder, 'aab'), { recursive: true });
  writeFileSync(join(folder, 'a'.repeat(200)), '');
  writeFileSync(join(folder, 'aab', 'ab'), '');
  let bytes = 0;
  // with backtracking this would go on for longer than the test may take
  for await (const chunk of archiveFolder(folder, [`${'*a'.repeat(40)}*b`])) bytes += (chunk as Buffer).length;
  expect(bytes).toBeGreaterThan(0);
});

it.runIf(existsSync('/proc/self/fd'))(
  'a link that takes the place of an allowed folder shows nothing of what it leads to',
  async () => {
    const lent = join(server.folder, 'lent');
    for (const folder of ['lent/a', 'outside']) mkdirSync(join(server.folder, folder), { recursive: true });
    writeFileSync(join(lent, 'a/file'), 'inside');
    writeFileSync(join(server.folder, 'outside/file'), 'nobody sees this');
    const strict = await startServer({
      workspaceHost: { environment, workingDirectory: lent, allowedFolders: [lent] },
    });
    let asking = true;
    const swapping = (async () => {
      while (asking) {
        renameSync(join(lent, 'a'), join(lent, 'b'));
        symlinkSync(join(server.folder, 'outside'), join(lent, 'a'));
        await new Promise(setImmediate);
        unlinkSync(join(lent, 'a'));
        renameSync(join(lent, 'b'), join(lent, 'a'));
        await new Promise(setImmediate);
      }
    })();
    const seen = new Set<string>();
    const statuses = new Set<number>();
    for (let round = 0; round < 60; round++) {
      const path = query('/api/file/download', { path: join(lent, 'a/file') });
      const asked = Array.from({ length: 10 }, () => strict.call<unknown>('GET', path));
      for (const { status, body } of await Promise.all(asked)) {
        statuses.add(status);
        if (status === 200) seen.add(String(body));
      }
    }
    asking = false;
    await swapping;
    // the file is there again when the swapping has ended
    seen.add(
      String((await strict.call<unknown>('GET', query('/api/file/download', { path: join(lent, 'a/file') }))).body),
    );
    expect([...seen]).toEqual(['inside']);
    expect([...statuses].filter((status) => ![200, 403, 404, 409].includes(status))).toEqual([]);
  },
);
