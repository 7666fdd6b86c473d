import type { BashCommand, BashEvent, BashOutput, Page } from '@conv/openhands/rest';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import type { TestServer } from '../support/test-server.ts';
import { KEY, query, startStrictServer, startWorkspaceServer, withKey } from '../support/workspace-server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startWorkspaceServer();
});

describe('commands', () => {
  it('commands are run to their end, or started and looked at as they go', async () => {
    const ran = await server.call<BashOutput>(
      'POST',
      '/api/bash/execute_bash_command',
      { command: 'echo $((6*7))' },
      withKey,
    );
    expect(ran.body).toMatchObject({ exit_code: 0, stdout: '42\n', stderr: null, kind: 'BashOutput' });
    const { body: command } = await server.call<BashCommand>(
      'POST',
      '/api/bash/start_bash_command',
      { command: 'true', cwd: server.folder },
      withKey,
    );
    expect(command).toMatchObject({ command: 'true', cwd: server.folder, timeout: 300, kind: 'BashCommand' });
    const find = async (parameters: Readonly<Record<string, string>>) =>
      (await server.call<Page<BashEvent>>('GET', query('/api/bash/bash_events/search', parameters), undefined, withKey))
        .body;
    expect((await find({ kind__eq: 'BashCommand', limit: '1' })).next_page_id).toBe(command.id);
    expect((await find({ timestamp__gte: command.timestamp, kind__eq: 'BashCommand' })).items).toEqual([command]);
    const one = await server.call('GET', `/api/bash/bash_events/${command.id}`, undefined, withKey);
    expect(one.body).toEqual(command);
    const batch = await server.call('GET', '/api/bash/bash_events/', [command.id, 'unknown'], withKey);
    expect(batch.body).toEqual([command, null]);
    expect((await server.call('GET', '/api/bash/bash_events/unknown', undefined, withKey)).status).toBe(404);
    expect((await server.call('DELETE', '/api/bash/bash_events', undefined, withKey)).body).toHaveProperty(
      'cleared_count',
    );
    expect((await find({ kind__eq: 'BashCommand' })).items).toEqual([]);
  });

  it.each([
    [{}],
    [{ command: 1 }],
    [{ command: 'true', timeout: 'soon' }],
    [{ command: 'true', timeout: 0 }],
    [{ command: 'true', timeout: -1 }],
    [{ command: 'true', timeout: 0.5 }],
    [{ command: 'true', timeout: 2_147_484 }],
    [{ command: 'true', timeout: 1e300 }],
    ['text'],
  ])('a command %j is refused', async (body) => {
    for (const route of ['execute_bash_command', 'start_bash_command'])
      expect((await server.call('POST', `/api/bash/${route}`, body, withKey)).status).toBe(422);
  });

  it('commands are stopped by their ids, once and again, and an unknown id is 404', async () => {
    const { body: command } = await server.call<BashCommand>(
      'POST',
      '/api/bash/start_bash_command',
      { command: 'sleep 60' },
      withKey,
    );
    const stop = (id: string) => server.call('POST', `/api/bash/bash_commands/${id}/stop`, undefined, withKey);
    const dashed = command.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    for (const id of [command.id, dashed])
      expect(await stop(id)).toMatchObject({ status: 200, body: { success: true } });
    expect(await stop(crypto.randomUUID())).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
    expect((await stop('no-id')).status).toBe(422);
  });

  it('commands are seen on the socket by all clients, and started there', async () => {
    const frames: Record<string, unknown>[] = [];
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/sockets/bash-events?session_api_key=${KEY}`);
    const until = (fits: (frame: Record<string, unknown>) => boolean) =>
      new Promise<void>((resolve) => {
        const look = (): void => void (frames.some(fits) && resolve());
        socket.on('message', look);
        look();
      });
    socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8')) as Record<string, unknown>));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('{');
    socket.send('{"cwd": 1}');
    socket.send('{"command": "true", "timeout": 0}');
    socket.send(JSON.stringify({ type: 'auth', session_api_key: KEY }));
    socket.send(JSON.stringify({ command: 'echo from the socket', timeout: 10 }));
    await until(({ exit_code: code }) => code === 0);
    await server.call('POST', '/api/bash/execute_bash_command', { command: 'echo by another' }, withKey);
    await until(({ stdout }) => stdout === 'by another\n');
    // a look at the output between its text and the end of its command tells the end alone
    const told = frames.filter(({ kind, stdout }) => kind !== 'BashOutput' || stdout !== null);
    expect(told.map(({ kind, code, stdout }) => [kind, code ?? stdout])).toEqual([
      ['BashError', 'JSONDecodeError'],
      ['BashError', 'ValidationError'],
      ['BashError', 'ValidationError'],
      ['BashCommand', undefined],
      ['BashOutput', 'from the socket\n'],
      ['BashCommand', undefined],
      ['BashOutput', 'by another\n'],
    ]);
    socket.close();
  });

  it('commands never run outside of the allowed folders', async () => {
    const lent = await startStrictServer(server.folder);
    const outside = await lent.server.call('POST', '/api/bash/execute_bash_command', {
      command: 'cat secret',
      cwd: `${lent.folder}/out`,
    });
    expect(outside.status).toBe(403);
  });
});
