import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startServer } from '../support/test-server.ts';

describe('a conversation', () => {
  it('a conversation shows the files of its working directory, and none beside it', async () => {
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

  it('a conversation is downloaded as an archive of its state and events, without secrets', async () => {
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
