import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { startServer, until, type TestServer } from '../support/test-server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer({ workspaceHost: { environment: {}, workingDirectory: '/' } });
});

const urlOf = (path: string): URL =>
  new URL(`/api/file/upload?${new URLSearchParams({ path }).toString()}`, server.url);

async function upload(path: string, content: string): Promise<number> {
  const body = new FormData();
  body.append('file', new Blob([content]), 'upload.bin');
  return (await fetch(urlOf(path), { method: 'POST', body })).status;
}

describe('uploads to one path', () => {
  it('uploads to one path at the same time leave the whole of one of them, and nothing beside it', async () => {
    const path = join(server.folder, 'race/file');
    const contents = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(2_000_000 + index));
    const answers = await Promise.all(contents.map((content) => upload(path, content)));
    expect(answers).toEqual(contents.map(() => 200));
    expect(contents).toContain(readFileSync(path, 'utf8'));
    expect(readdirSync(join(server.folder, 'race'))).toEqual(['file']);
  });

  it('uploads that end in the middle leave the file as it was, and nothing beside it', async () => {
    const folder = join(server.folder, 'cut');
    const path = join(folder, 'file');
    await upload(path, 'before');
    const request = httpRequest(urlOf(path), {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=cut', 'content-length': '1000000' },
    });
    request.on('error', () => {});
    request.write('--cut\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nthe beginning');
    await until(async () => readdirSync(folder).length === 2);
    request.destroy();
    await until(async () => readdirSync(folder).length === 1);
    expect(readFileSync(path, 'utf8')).toBe('before');
  });

  it('uploads may have the longest name that the file system takes', async () => {
    const path = join(server.folder, 'n'.repeat(255));
    expect(await upload(path, 'long')).toBe(200);
    expect(readFileSync(path, 'utf8')).toBe('long');
  });
});
