import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Folder, HomeFolders, Page } from '@conv/openhands/rest';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { startServer, type TestServer } from '../support/test-server.ts';
import { environment, query, startStrictServer, startWorkspaceServer, withKey } from '../support/workspace-server.ts';

let server: TestServer;
let url: URL;

beforeEach(async () => {
  server = await startWorkspaceServer();
  url = new URL(server.url);
});

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
  it('files go up byte by byte, with the folders above them, and down again', async () => {
    const path = join(server.folder, 'new/deep/füle.bin');
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    expect(await upload(path, fileForm(bytes))).toEqual({
      status: 200,
      body: { success: true, file_size: bytes.length },
    });
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
    const down = await fetch(new URL(query('/api/file/download', { path }), url), { headers: withKey });
    expect(new Uint8Array(await down.arrayBuffer())).toEqual(bytes);
    expect(down.headers.get('content-type')).toBe('application/octet-stream');
    expect(down.headers.get('content-disposition')).toContain("filename*=UTF-8''f%C3%BCle.bin");
  });

  it('files are refused without the right field, on a relative path and where a folder stands', async () => {
    const path = join(server.folder, 'file');
    expect((await upload(path, fileForm('x', 'other'))).status).toBe(422);
    expect(await upload('relative', fileForm('x'))).toEqual({ status: 400, body: { detail: 'Path must be absolute' } });
    expect((await upload(server.folder, fileForm('x'))).status).toBe(400);
    const broken = await server.call('POST', query('/api/file/upload', { path }), 'no form', withKey);
    expect(broken.status).toBe(422);
  });

  it('missing files are 404, and folders are 400', async () => {
    const get = (path: string) => server.call('GET', query('/api/file/download', { path }), undefined, withKey);
    expect(await get(join(server.folder, 'gone'))).toMatchObject({ status: 404, body: { detail: 'File not found' } });
    expect(await get(server.folder)).toMatchObject({ status: 400, body: { detail: 'Path is not a file' } });
    expect((await get('x'.repeat(5000))).status).toBe(400);
    expect((await get(`/${'x'.repeat(5000)}`)).status).toBe(400);
  });

  it('files too large for the server leave nothing behind', async () => {
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
  it('folders are made, listed by pages, and refused where a file stands', async () => {
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

  it('folders begin at the home folder', async () => {
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

  it('folders are packed, and a change in one is a patch', async () => {
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

  it('folders are packed with hard links, each name as a file, and the server lives on', async () => {
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
    const lent = await startStrictServer(server.folder);
    for (const out of ['../secret', 'out/secret', '..', 'out']) {
      const answer = await lent.server.call(method, query(path, { path: `${lent.folder}/${out}` }));
      expect([out, answer.status]).toEqual([out, 403]);
      expect(JSON.stringify(answer.body)).not.toContain('nobody sees');
    }
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
