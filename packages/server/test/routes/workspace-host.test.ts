import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BashCommand, BashEvent, BashOutput, Folder, HomeFolders, Page } from '@conv/openhands/rest';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';

import { startServer, type TestServer } from '../support/test-server.ts';

const environment = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null' };
const KEY = 'key-of-this-server';
const withKey = { 'x-session-api-key': KEY };

let server: TestServer;
let url: URL;

beforeEach(async () => {
  server = await startServer({ sessionKeys: [KEY], workspaceHost: { environment, workingDirectory: '/' } });
  url = new URL(server.url);
});

/** Starts a server that allows one folder only. */
async function strict(): Promise<{ server: TestServer; folder: string }> {
  const outer = server.folder;
  const folder = join(outer, 'allowed');
  mkdirSync(folder);
  writeFileSync(join(outer, 'secret'), 'nobody sees this');
  symlinkSync(outer, join(folder, 'out'));
  const lent = await startServer({
    workspaceHost: { environment, workingDirectory: folder, allowedFolders: [folder] },
  });
  return { server: lent, folder };
}

function query(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters).toString()}`;
}

function fileForm(content: string | Uint8Array<ArrayBuffer>, field = 'file'): FormData {
  const form = new FormData();
  form.append(field, new Blob([content]), 'upload.bin');
  return form;
}

async function upload(path: string, form: FormData): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL(query('/api/file/upload', { path }), url), {
    method: 'POST',
    body: form,
    headers: withKey,
  });
  return { status: response.status, body: await response.json() };
}

describe('files', () => {
  it('go up byte by byte, with the folders above them, and down again', async () => {
    const path = join(server.folder, 'new/deep/füle.bin');
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    expect(await upload(path, fileForm(bytes))).toEqual({ status: 200, body: { success: true } });
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
    const down = await fetch(new URL(query('/api/file/download', { path }), url), { headers: withKey });
    expect(new Uint8Array(await down.arrayBuffer())).toEqual(bytes);
    expect(down.headers.get('content-type')).toBe('application/octet-stream');
    expect(down.headers.get('content-disposition')).toContain("filename*=UTF-8''f%C3%BCle.bin");
  });

  it('are refused without the right field, on a relative path and where a folder stands', async () => {
    const path = join(server.folder, 'file');
    expect((await upload(path, fileForm('x', 'other'))).status).toBe(422);
    expect(await upload('relative', fileForm('x'))).toEqual({ status: 400, body: { detail: 'Path must be absolute' } });
    expect((await upload(server.folder, fileForm('x'))).status).toBe(400);
    const broken = await server.call('POST', query('/api/file/upload', { path }), 'no form', withKey);
    expect(broken.status).toBe(422);
  });

  it('that are missing are 404, folders are 400', async () => {
    const get = (path: string) => server.call('GET', query('/api/file/download', { path }), undefined, withKey);
    expect(await get(join(server.folder, 'gone'))).toMatchObject({ status: 404, body: { detail: 'File not found' } });
    expect(await get(server.folder)).toMatchObject({ status: 400, body: { detail: 'Path is not a file' } });
    expect((await get('x'.repeat(5000))).status).toBe(400);
    expect((await get(`/${'x'.repeat(5000)}`)).status).toBe(400);
  });

  it('too large for the server leave nothing behind', async () => {
    const small = await startServer({ workspaceHost: { environment, workingDirectory: '/', maxUpload: 1000 } });
    const path = join(small.folder, 'large');
    const response = await fetch(new URL(query('/api/file/upload', { path }), small.url), {
      method: 'POST',
      body: fileForm('x'.repeat(100_000)),
    });
    expect(response.status).toBe(413);
    expect(execFileSync('ls', ['-A', small.folder], { encoding: 'utf8' })).toBe('');
  });
});

describe('folders', () => {
  it('are made, listed by pages, and refused where a file stands', async () => {
    for (const name of ['b', 'a', '.hidden', 'c'])
      await server.call(
        'POST',
        query('/api/file/create_directory', { path: join(server.folder, 'in', name) }),
        undefined,
        withKey,
      );
    writeFileSync(join(server.folder, 'in/file'), '');
    const list = async (more: Readonly<Record<string, string>> = {}) =>
      (
        await server.call<Page<Folder>>(
          'GET',
          query('/api/file/search_subdirs', { path: join(server.folder, 'in'), ...more }),
          undefined,
          withKey,
        )
      ).body;
    expect((await list()).items.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect((await list({ include_hidden: 'true' })).items.map(({ name }) => name)).toEqual(['.hidden', 'a', 'b', 'c']);
    const page = await list({ limit: '2' });
    expect(page).toMatchObject({ items: [{ name: 'a' }, { name: 'b' }], next_page_id: 'c' });
    expect(await list({ limit: '2', page_id: 'c' })).toMatchObject({ items: [{ name: 'c' }], next_page_id: null });
    const onFile = await server.call(
      'POST',
      query('/api/file/create_directory', { path: join(server.folder, 'in/file') }),
      undefined,
      withKey,
    );
    expect(onFile.status).toBe(400);
    const gone = await server.call(
      'GET',
      query('/api/file/search_subdirs', { path: join(server.folder, 'gone') }),
      undefined,
      withKey,
    );
    expect(gone).toMatchObject({ status: 404, body: { detail: 'Directory not found' } });
  });

  it('begin at home', async () => {
    const { status, body } = await server.call<HomeFolders>('GET', '/api/file/home', undefined, withKey);
    expect(status).toBe(200);
    expect(body.favorites[0]).toEqual({ label: 'Home', path: body.home });
    const home = join(server.folder, 'home');
    for (const name of ['.config', 'Projects', 'other']) mkdirSync(join(home, name), { recursive: true });
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const namesWith = async (include_hidden: boolean): Promise<readonly string[]> => {
      const path = `/api/file/home?include_hidden=${include_hidden}`;
      const answer = await server.call<HomeFolders>('GET', path, undefined, withKey);
      return answer.body.favorites.map(({ label }) => label);
    };
    expect(await namesWith(false)).toEqual(['Home', 'Projects']);
    expect(await namesWith(true)).toEqual(['Home', '.config', 'Projects']);
  });

  it('are packed, and what changed in one is a patch', async () => {
    const folder = join(server.folder, 'repository');
    mkdirSync(folder);
    execFileSync('git', ['init', '-q'], { cwd: folder });
    execFileSync(
      'git',
      ['-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'begin'],
      { cwd: folder },
    );
    writeFileSync(join(folder, 'new.txt'), 'new line\n');
    const get = (format: string) =>
      fetch(new URL(query('/api/file/archive', { path: folder, format }), url), { headers: withKey });
    expect(await (await get('git-delta')).text()).toContain('+new line');
    const packed = Buffer.from(await (await get('tar.gz')).arrayBuffer());
    expect(execFileSync('tar', ['-tz'], { input: packed, encoding: 'utf8' })).toContain('new.txt');
    const without = query('/api/file/archive', { path: folder, format: 'tar.gz', exclude: 'new.txt' });
    const rest = Buffer.from(await (await fetch(new URL(without, url), { headers: withKey })).arrayBuffer());
    expect(execFileSync('tar', ['-tz'], { input: rest, encoding: 'utf8' })).not.toContain('new.txt');
    expect((await get('zip')).status).toBe(422);
  });

  it('are packed with hard links, each name as a file, and the server lives on', async () => {
    const folder = join(server.folder, 'linked');
    mkdirSync(join(folder, 'deep'), { recursive: true });
    writeFileSync(join(folder, 'file'), 'a file');
    linkSync(join(folder, 'file'), join(folder, 'same'));
    const archive = query('/api/file/archive', { path: folder, format: 'tar.gz' });
    for (let round = 0; round < 5; round++) {
      const answer = await fetch(new URL(archive, url), { headers: withKey });
      const packed = Buffer.from(await answer.arrayBuffer());
      const types = execFileSync('tar', ['-tvz'], { input: packed, encoding: 'utf8' })
        .split('\n')
        .map((line) => line[0] ?? '')
        .join('');
      expect([types.length, types]).toEqual([4, expect.not.stringContaining('h')]);
    }
  });
});

describe('paths never leave the allowed folders', () => {
  it.each([
    ['GET', '/api/file/download'],
    ['GET', '/api/file/search_subdirs'],
    ['GET', '/api/file/archive'],
    ['POST', '/api/file/create_directory'],
    ['GET', '/api/git/changes'],
    ['GET', '/api/git/diff'],
    ['GET', '/api/git/commits'],
    ['GET', '/api/git/commits/abcd/changes'],
  ])('%s %s', async (method, path) => {
    const lent = await strict();
    for (const out of ['../secret', 'out/secret', '..', 'out']) {
      const answer = await lent.server.call(method, query(path, { path: `${lent.folder}/${out}` }));
      expect([out, answer.status]).toEqual([out, 403]);
      expect(JSON.stringify(answer.body)).not.toContain('nobody sees');
    }
  });

  it('and no command runs outside of them', async () => {
    const lent = await strict();
    const outside = await lent.server.call('POST', '/api/bash/execute_bash_command', {
      command: 'cat secret',
      cwd: `${lent.folder}/out`,
    });
    expect(outside.status).toBe(403);
  });
});

describe('commands', () => {
  it('are run to their end, or started and looked at as they go', async () => {
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
  ])('%j is refused', async (body) => {
    for (const route of ['execute_bash_command', 'start_bash_command'])
      expect((await server.call('POST', `/api/bash/${route}`, body, withKey)).status).toBe(422);
  });

  it('are stopped by their ids, once and again, and 404 for an id of none', async () => {
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

  it('are seen on the socket by everybody, and started there', async () => {
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
});

it('nothing of it is open without the key', async () => {
  const paths = [
    '/api/file/home',
    '/api/git/changes?path=/',
    '/api/bash/bash_events/search',
    '/api/file/download?path=/etc/passwd',
  ];
  for (const path of paths) expect((await server.call('GET', path)).status).toBe(401);
});

describe('a conversation', () => {
  it('shows the files of its working directory, and none beside it', async () => {
    const open = await startServer();
    const working = join(open.folder, 'work');
    mkdirSync(join(working, 'site'), { recursive: true });
    writeFileSync(join(working, 'index.html'), '<h1>top</h1>');
    writeFileSync(join(working, 'site/index.html'), '<h1>site</h1>');
    writeFileSync(join(open.folder, 'secret'), 'nobody sees this');
    symlinkSync(join(open.folder, 'secret'), join(working, 'link'));
    const { id } = await open.make({ workspace: { working_dir: working } });
    const get = (path: string) => fetch(`${open.url}/api/conversations/${id}/workspace${path}`);
    expect(await (await get('')).text()).toBe('<h1>top</h1>');
    const site = await get('/site');
    expect(await site.text()).toBe('<h1>site</h1>');
    expect(site.headers.get('content-type')).toContain('text/html');
    expect(site.headers.get('content-security-policy')).toContain('sandbox');
    for (const path of ['/link', '/%2e%2e/secret', '/..%2fsecret', '/gone', '/site/%00'])
      expect((await get(path)).status).toBe(404);
    expect((await fetch(`${open.url}/api/conversations/00000000-0000-4000-8000-000000000000/workspace`)).status).toBe(
      404,
    );
  });

  it('goes down as an archive of its state and events, without secrets', async () => {
    const open = await startServer();
    const { id } = await open.make({ initial_message: { role: 'user', content: [{ type: 'text', text: 'hello' }] } });
    const response = await fetch(`${open.url}/api/file/download-trajectory/${id}`);
    expect(response.headers.get('content-type')).toBe('application/zip');
    const file = join(open.folder, 'archive.zip');
    writeFileSync(file, new Uint8Array(await response.arrayBuffer()));
    const script =
      'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print("\\n".join(z.namelist())); print(b"".join(z.read(n) for n in z.namelist()).decode())';
    const listing = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' });
    expect(listing).toContain('base_state.json\nmeta.json\nevents/event-00000-');
    expect(listing).toContain('hello');
    expect(listing).not.toContain('sk-plain-0123456789');
    expect((await open.call('GET', '/api/file/download-trajectory/00000000-0000-4000-8000-000000000000')).status).toBe(
      404,
    );
  });
});
