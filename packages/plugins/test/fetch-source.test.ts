import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { inspect } from 'node:util';

import { describe, expect, onTestFinished, test } from 'vitest';

import { fetchSource } from '../src/fetch-source.ts';
import { codeOf, committed, filesIn, folder, git, repository } from './places.ts';

describe('a folder', () => {
  test('a folder is copied with its links and rights to execute, without its repository and other rights', async () => {
    const from = filesIn(join(folder(), 'one'), { 'SKILL.md': 'text', 'scripts/run.sh': 'echo', '.git/config': 'x' });
    chmodSync(join(from, 'scripts/run.sh'), 0o4777);
    symlinkSync('scripts', join(from, 'linked'));
    symlinkSync('../SKILL.md', join(from, 'scripts/up'));
    await using fetched = await fetchSource({ source: from }, folder());
    expect(fetched.commit).toBeNull();
    expect(readdirSync(fetched.directory).toSorted()).toEqual(['SKILL.md', 'linked', 'scripts']);
    expect(statSync(join(fetched.directory, 'scripts/run.sh')).mode & 0o7777).toBe(0o755);
    expect(statSync(join(fetched.directory, 'SKILL.md')).mode & 0o7777).toBe(0o644);
    expect(readFileSync(join(fetched.directory, 'linked/up'), 'utf8')).toBe('text');
  });

  test('a folder has a digest that follows from its content, and not from its place', async () => {
    const files = { 'a.md': 'one', 'b/c.md': 'two' };
    const digestOf = async (changed: Readonly<Record<string, string>>): Promise<string> => {
      await using fetched = await fetchSource({ source: filesIn(folder(), changed) }, folder());
      return fetched.digest;
    };
    const digest = await digestOf(files);
    expect(await digestOf(files)).toBe(digest);
    expect(await digestOf({ ...files, 'a.md': 'two' })).not.toBe(digest);
    expect(await digestOf({ 'a.md': 'one', 'b/d.md': 'two' })).not.toBe(digest);
  });

  test.each([
    ['an absolute link', '/etc/passwd'],
    ['a link out of it', '../../secret'],
    ['a link that climbs behind another link', 'deep/link/../../secret'],
  ])('a folder with %s is refused', async (_, target) => {
    const from = filesIn(folder(), { 'deep/file': 'x' });
    symlinkSync('..', join(from, 'deep/link'));
    symlinkSync(target, join(from, 'out'));
    const into = folder();
    expect(await codeOf(fetchSource({ source: from }, into))).toBe('INVALID');
    expect(readdirSync(into)).toEqual([]);
  });

  test('a folder with a pipe, or with too many bytes, files or levels, is refused', async () => {
    const piped = folder();
    execFileSync('mkfifo', [join(piped, 'pipe')]);
    expect(await codeOf(fetchSource({ source: piped }, folder()))).toBe('INVALID');
    const from = filesIn(folder(), { a: 'x'.repeat(100), b: 'y' });
    const limited = (limits: object): Promise<string> => codeOf(fetchSource({ source: from }, folder(), { limits }));
    expect(await limited({ bytes: 101 })).toBe('none');
    expect(await limited({ bytes: 100 })).toBe('TOO_LARGE');
    expect(await limited({ entries: 1 })).toBe('TOO_LARGE');
    const deep = filesIn(folder(), { [`${'a/'.repeat(40)}file`]: 'x' });
    expect(await codeOf(fetchSource({ source: deep }, folder()))).toBe('TOO_LARGE');
  });

  test('a folder that is not there, is a file, or may not be read is refused', async () => {
    const place = folder();
    writeFileSync(join(place, 'file'), '');
    expect(await codeOf(fetchSource({ source: join(place, 'none') }, folder()))).toBe('FETCH_FAILED');
    expect(await codeOf(fetchSource({ source: join(place, 'file') }, folder()))).toBe('FETCH_FAILED');
    const mayRead = (): Promise<string> => Promise.reject(new Error('outside'));
    expect(await codeOf(fetchSource({ source: place }, folder(), { mayRead }))).toBe('FETCH_FAILED');
  });

  test('a folder that becomes a link after it was checked gives no file of the other folder', async () => {
    const place = folder();
    filesIn(join(place, 'secret'), { key: 'hidden' });
    symlinkSync('secret', join(place, 'checked'));
    const mayRead = (): Promise<string> => Promise.resolve(join(place, 'checked'));
    const into = folder();
    expect(await codeOf(fetchSource({ source: join(place, 'checked') }, into, { mayRead }))).toBe('INVALID');
    expect(readdirSync(into)).toEqual([]);
    // a caller that may read every folder also names links
    expect(await codeOf(fetchSource({ source: join(place, 'checked') }, into))).toBe('none');
  });
});

describe('a repository', () => {
  test('a repository is fetched at its HEAD, at a branch, a tag and a commit, whole or in part', async () => {
    const path = repository({ 'SKILL.md': 'old', 'sub/one/file': 'inside' });
    const first = git(path, 'rev-parse', 'HEAD');
    git(path, 'tag', 'v1');
    committed(path, { 'SKILL.md': 'new' });
    git(path, 'branch', 'side');
    const head = git(path, 'rev-parse', 'HEAD');
    const source = `file://${path}`;
    const at = async (ref?: string): Promise<readonly unknown[]> => {
      await using fetched = await fetchSource({ source, ref: ref ?? null }, folder());
      expect(existsSync(join(fetched.directory, '.git'))).toBe(false);
      return [fetched.commit, readFileSync(join(fetched.directory, 'SKILL.md'), 'utf8')];
    };
    expect(await at()).toEqual([head, 'new']);
    expect(await at('side')).toEqual([head, 'new']);
    expect(await at('v1')).toEqual([first, 'old']);
    expect(await at(first)).toEqual([first, 'old']);
    await using part = await fetchSource({ source, path: 'sub/one' }, folder());
    expect([part.directory.endsWith('/one'), readdirSync(part.directory)]).toEqual([true, ['file']]);
  });

  test('a repository without the ref or the folder that is asked for is refused', async () => {
    const source = `file://${repository({ 'SKILL.md': 'text' })}`;
    expect(await codeOf(fetchSource({ source, ref: 'none' }, folder()))).toBe('FETCH_FAILED');
    expect(await codeOf(fetchSource({ source, ref: 'a'.repeat(40) }, folder()))).toBe('FETCH_FAILED');
    expect(await codeOf(fetchSource({ source, path: 'none' }, folder()))).toBe('FETCH_FAILED');
    expect(await codeOf(fetchSource({ source, path: 'SKILL.md' }, folder()))).toBe('FETCH_FAILED');
    expect(await codeOf(fetchSource({ source: `file://${folder()}` }, folder()))).toBe('FETCH_FAILED');
  });

  test('a repository of this machine is for callers that may read every folder', async () => {
    const hidden = repository({ key: 'hidden' });
    const place = filesIn(folder(), { '.git': `gitdir: ${join(hidden, '.git')}\n` });
    await using fetched = await fetchSource({ source: `file://${place}` }, folder());
    expect(readdirSync(fetched.directory)).toEqual(['key']);
    const mayRead = (directory: string): Promise<string> => Promise.resolve(directory);
    expect(await codeOf(fetchSource({ source: `file://${place}` }, folder(), { mayRead }))).toBe('FETCH_FAILED');
  });

  test('a repository whose address cannot be decoded is refused', async () => {
    expect(await codeOf(fetchSource({ source: `file://${folder()}/%zz` }, folder()))).toBe('FETCH_FAILED');
  });

  test('a repository that is too large is refused before it is written', async () => {
    const source = `file://${repository({ a: 'x'.repeat(1000), b: 'y' })}`;
    expect(await codeOf(fetchSource({ source }, folder(), { limits: { bytes: 900 } }))).toBe('TOO_LARGE');
    expect(await codeOf(fetchSource({ source }, folder(), { limits: { entries: 1 } }))).toBe('TOO_LARGE');
  });

  test('a repository runs no program of itself, of its settings and of the user', async () => {
    const ran = join(folder(), 'ran');
    const path = repository({ '.gitattributes': '* filter=own diff=own', 'SKILL.md': 'text' });
    for (const hook of ['post-checkout', 'pre-upload-pack', 'reference-transaction', 'post-index-change']) {
      writeFileSync(join(path, '.git/hooks', hook), `#!/bin/sh\ntouch ${ran}\n`);
      chmodSync(join(path, '.git/hooks', hook), 0o755);
    }
    git(path, 'config', 'core.fsmonitor', `touch ${ran}`);
    const home = filesIn(folder(), { '.gitconfig': `[filter "own"]\n\tsmudge = touch ${ran}\n\trequired = true\n` });
    const before = process.env['HOME'];
    process.env['HOME'] = home;
    onTestFinished(() => {
      if (before === undefined) delete process.env['HOME'];
      else process.env['HOME'] = before;
    });
    await using fetched = await fetchSource({ source: `file://${path}` }, folder());
    expect(readFileSync(join(fetched.directory, 'SKILL.md'), 'utf8')).toBe('text');
    expect(existsSync(ran)).toBe(false);
  });

  test('a repository with a link out of it, and with a submodule, gives neither', async () => {
    const path = repository({ 'SKILL.md': 'text' });
    git(path, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', repository({ other: 'x' }), 'other');
    git(path, 'commit', '--quiet', '--message', 'Add');
    await using fetched = await fetchSource({ source: `file://${path}` }, folder());
    expect(existsSync(join(fetched.directory, 'other/other'))).toBe(false);
    symlinkSync('/etc', join(path, 'out'));
    committed(path, {});
    expect(await codeOf(fetchSource({ source: `file://${path}` }, folder()))).toBe('INVALID');
  });

  test('a repository leaves nothing when its copy is disposed of', async () => {
    const into = folder();
    const fetched = await fetchSource({ source: `file://${repository({ a: 'x' })}` }, into);
    expect(readdirSync(into)).toHaveLength(1);
    await fetched[Symbol.asyncDispose]();
    expect(readdirSync(into)).toEqual([]);
  });
});

/** Serves a bare repository by HTTP, and tells the paths and hosts that are asked for. */
async function served(path: string): Promise<{ readonly port: number; readonly asked: string[] }> {
  const bare = join(folder(), 'served.git');
  git(path, 'clone', '--quiet', '--bare', path, bare);
  git(bare, 'update-server-info');
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, answer) => {
    asked.push(`${headers.host} ${url}`);
    if (url.startsWith('/moved/')) return void answer.writeHead(302, { location: '/served.git/info/refs' }).end();
    const file = join(bare, new URL(url, 'http://any').pathname.replace('/served.git/', ''));
    if (!existsSync(file) || statSync(file).isDirectory()) return void answer.writeHead(404).end();
    answer.end(readFileSync(file));
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

describe('a remote repository', () => {
  test('a remote repository is read from the address that was checked, whatever else its name leads to', async () => {
    const { port, asked } = await served(repository({ 'SKILL.md': 'text' }));
    const source = `http://skills.invalid:${port}/served.git`;
    const lookup = async (): Promise<{ address: string; family: number }[]> => [{ address: '127.0.0.1', family: 4 }];
    await using fetched = await fetchSource({ source }, folder(), { hosts: [`skills.invalid:${port}`], lookup });
    expect(readFileSync(join(fetched.directory, 'SKILL.md'), 'utf8')).toBe('text');
    expect(asked[0]).toContain(`skills.invalid:${port} /served.git/info/refs`);
  });

  test('a remote repository of this machine is not asked unless its host is listed', async () => {
    const { port, asked } = await served(repository({ 'SKILL.md': 'text' }));
    const source = `http://127.0.0.1:${port}/served.git`;
    expect(await codeOf(fetchSource({ source }, folder()))).toBe('FETCH_FAILED');
    expect(await codeOf(fetchSource({ source: `http://0x7f000001:${port}/served.git` }, folder()))).toBe(
      'FETCH_FAILED',
    );
    expect(asked).toEqual([]);
    expect(await codeOf(fetchSource({ source }, folder(), { hosts: [`127.0.0.1:${port}`] }))).toBe('none');
  });

  test('a remote repository that moved is not followed, and the error tells no password', async () => {
    const { port } = await served(repository({ 'SKILL.md': 'text' }));
    const source = `http://me:very-secret@127.0.0.1:${port}/moved/served.git`;
    const failed = await fetchSource({ source }, folder(), { hosts: [`127.0.0.1:${port}`] }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 'FETCH_FAILED' });
    expect(inspect(failed, { depth: null })).not.toContain('very-secret');
  });

  test('a remote repository that is not there is asked for once, whatever its name says', async () => {
    const { port, asked } = await served(repository({ 'SKILL.md': 'text' }));
    const requestsFor = async (name: string): Promise<number> => {
      const before = asked.length;
      const fetching = fetchSource({ source: `http://127.0.0.1:${port}/${name}.git` }, folder(), {
        hosts: [`127.0.0.1:${port}`],
      });
      expect(await codeOf(fetching)).toBe('FETCH_FAILED');
      return asked.length - before;
    };
    expect(await requestsFor('shallow')).toBe(await requestsFor('deep'));
  });

  test('a remote repository that does not end is stopped', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const options = { hosts: [`127.0.0.1:${port}`], timeout: 500 };
    const source = `http://me:very-secret@127.0.0.1:${port}/a.git`;
    const failed = await fetchSource({ source }, folder(), options).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'FETCH_FAILED', message: expect.stringContaining('longer than 500 ms') });
    expect(inspect(failed, { depth: null })).not.toContain('very-secret');
  });
});

test('the folder to copy into is made', async () => {
  const into = join(folder(), 'a', 'b');
  mkdirSync(join(into, '..'));
  await using fetched = await fetchSource({ source: filesIn(folder(), { a: 'x' }) }, into);
  expect(fetched.directory.startsWith(into)).toBe(true);
});
