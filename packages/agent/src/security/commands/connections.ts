import { type Nearness, nearnessOf } from '../facts/addresses.ts';
import type { ShellReader } from '../shell/reader.ts';

/** Reports an address that a command connects to. */
export function speaksTo(near: Nearness | undefined, shell: ShellReader): void {
  if (near === 'own') shell.report('supervisor');
  else if (near === 'metadata') shell.report('read-keys');
  else if (near === 'loopback') shell.report('loopback');
  else if (near === 'remote') shell.report('fetch');
}

/** True for the files by which bash opens connections. */
export function callsServer(path: string, shell: ShellReader): boolean {
  if (!path.startsWith('/dev/tcp/') && !path.startsWith('/dev/udp/')) return false;
  const [, host = '', port = ''] = /^\/dev\/(?:tcp|udp)\/([^/]*)\/?(.*)$/.exec(path) ?? [];
  const near = nearnessOf(`${host}:${port}`, shell.world.listening);
  if (near === 'own' || near === 'loopback') speaksTo(near, shell);
  else shell.report('reverse-shell');
  return true;
}
