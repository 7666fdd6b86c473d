import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startServer, type TestServer } from './test-server.ts';

export const environment = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null' };
export const KEY = 'key-of-this-server';
export const withKey = { 'x-session-api-key': KEY };

/** Starts a server with a key that lends its whole machine. */
export function startWorkspaceServer(): Promise<TestServer> {
  return startServer({ sessionKeys: [KEY], workspaceHost: { environment, workingDirectory: '/' } });
}

/** Starts a server that allows one folder only, in `outer`; a link in it leads back there, to a secret. */
export async function startStrictServer(outer: string): Promise<{ server: TestServer; folder: string }> {
  const folder = join(outer, 'allowed');
  mkdirSync(folder);
  writeFileSync(join(outer, 'secret'), 'nobody sees this');
  symlinkSync(outer, join(folder, 'out'));
  const server = await startServer({
    workspaceHost: { environment, workingDirectory: folder, allowedFolders: [folder] },
  });
  return { server, folder };
}

/** Returns a path with its query. */
export function query(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters).toString()}`;
}
