import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { launch, ServerProcess } from './server-process.ts';

const INDEX = '<!doctype html><title>Studio</title>';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))})`;

/** A folder like that of a built page, and one file that is none of it. */
function builtPage(): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'page', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'page', 'index.html'), INDEX);
  writeFileSync(join(folder, 'page', 'assets', 'index-1a2b3c.js'), SCRIPT);
  writeFileSync(join(folder, 'page', '.hidden.js'), 'hidden');
  writeFileSync(join(folder, 'outside.js'), 'outside');
  symlinkSync('../outside.js', join(folder, 'page', 'link.js'));
  return join(folder, 'page');
}

function start(): Promise<ServerProcess> {
  return ServerProcess.start({ cwd: newFolder(), env: { CONV_STUDIO_FOLDER: builtPage() } });
}

/** Asks for a path as it is written, which `fetch` would make shorter. */
function statusOf(server: ServerProcess, path: string): Promise<readonly [number | undefined, string]> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, host: '127.0.0.1' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve([response.statusCode, text]));
    });
    asked.on('error', reject).end();
  });
}

test('studio is served without a key, with a strict policy, and its paths give the page', async () => {
  const server = await start();
  for (const path of ['/studio/', '/studio/c/1', '/studio/new', '/studio/compare?a=1', '/studio/c/x.y']) {
    const answer = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } });
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, INDEX]);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  }
  const short = await fetch(`${server.url}/studio`, { redirect: 'manual' });
  expect([short.status, short.headers.get('location')]).toEqual([308, '/studio/']);
  expect((await fetch(`${server.url}/api/conversations/search`)).status).toBe(401);
});

test('assets are kept for ever and compressed, and a missing asset is no page', async () => {
  const server = await start();
  const asset = await fetch(`${server.url}/studio/assets/index-1a2b3c.js`);
  expect([asset.status, await asset.text()]).toEqual([200, SCRIPT]);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('vary')).toContain('Accept-Encoding');
  expect((await fetch(`${server.url}/studio/assets/index-old.js`)).status).toBe(404);
  const { port } = new URL(server.url);
  const raw = await new Promise<Buffer>((resolve) => {
    const headers = { 'accept-encoding': 'br' };
    request({ port, host: '127.0.0.1', path: '/studio/assets/index-1a2b3c.js', headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => resolve(Buffer.concat(pieces)));
    }).end();
  });
  expect(brotliDecompressSync(raw).toString()).toBe(SCRIPT);
  expect(raw.length).toBeLessThan(200);
});

test('an asset that cannot be read now answers 503 without a path, and a name that is too long 404', async () => {
  const page = builtPage();
  const asset = join(page, 'assets', 'index-1a2b3c.js');
  const server = await ServerProcess.start({ cwd: newFolder(), env: { CONV_STUDIO_FOLDER: page } });
  rmSync(asset);
  // the system finds neither a file nor that there is none
  symlinkSync('index-1a2b3c.js', asset);
  const [status, text] = await statusOf(server, '/studio/assets/index-1a2b3c.js');
  expect([status, JSON.parse(text)]).toEqual([503, { detail: 'A file of studio cannot be read now. Try again.' }]);
  expect(await statusOf(server, `/studio/assets/${'a'.repeat(300)}.js`)).toMatchObject([404, expect.any(String)]);
});

test('no file outside of the folder of studio is served, whatever the path', async () => {
  const server = await start();
  const paths = [
    '/studio/../outside.js',
    '/studio/..%2foutside.js',
    '/studio/link.js',
    '/studio/.hidden.js',
    '/studio/%00',
  ];
  for (const path of paths) {
    const [status, text] = await statusOf(server, path);
    expect([path, status === 200 ? text : 'refused']).toEqual([path, status === 200 ? INDEX : 'refused']);
  }
});

test('the start link carries a ticket behind the hash, and the token is shown for programs', async () => {
  const server = await start();
  const [, ticket = ''] = new RegExp(`^Open ${server.url}/studio/#ticket=([\\w-]{43})$`, 'm').exec(server.said) ?? [];
  const open = (): Promise<Response> =>
    fetch(`${server.url}/api/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
    });
  const answer = await open();
  expect(answer.status).toBe(204);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
  const rights = await fetch(`${server.url}/api/auth/session`, { headers: { cookie } });
  expect(await rights.json()).toMatchObject({ rights: 'approver' });
  expect((await open()).status).toBe(401);
  expect(server.log).not.toContain(ticket);
  expect(server.log).not.toContain(server.key);
});

test('a folder of studio that is not there ends the start, with what was expected', async () => {
  for (const [setting, given] of [
    ['CONV_STUDIO_FOLDER', { env: { CONV_STUDIO_FOLDER: '/nowhere/at/all' } }],
    ['--studio', { args: ['--studio', '/nowhere/at/all'] }],
  ] as const) {
    const { exitCode, stderr } = await launch({ cwd: newFolder(), ...given });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `${setting}: expected the folder dist/page of @conv/studio, found nothing at /nowhere/at/all`,
    );
  }
});
