import { become } from '../companion.ts';
import { checkStoreThere } from '../conversation/store-there.ts';
import { CommandError } from '../command-error.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';

/** Options of `studio`. */
export interface StudioOptions {
  /** The address of the store; the default when none was named. */
  readonly store: string;
  /** The URL of a server. */
  readonly server?: string;
  readonly serverKey?: string;
  readonly serverKeyFile?: string;
  readonly port?: number;
  readonly open?: boolean;
  readonly readOnly?: boolean;
  readonly sandbox?: string;
  readonly sandboxRead?: readonly string[];
  readonly sandboxHost?: readonly string[];
}

/** Opens studio on a store or a server, in the browser. */
export async function studioCommand(place: string | undefined, options: StudioOptions): Promise<ExitCode> {
  const { store, server, serverKey, serverKeyFile, port, open = true, readOnly = false, sandbox } = options;
  const { sandboxRead = [], sandboxHost = [] } = options;
  if (place !== undefined) checkStoreThere(place);
  const args = [
    place ?? (server === undefined ? store : serverUrl(server)),
    // a store in an option was checked before; the default store may be created later
    ...(place === undefined && server === undefined ? ['--may-begin'] : []),
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(open ? [] : ['--no-open']),
    ...(readOnly ? ['--read-only'] : []),
    ...(sandbox === undefined ? [] : ['--sandbox', sandbox]),
    ...sandboxRead.flatMap((path) => ['--sandbox-read', path]),
    ...sandboxHost.flatMap((name) => ['--sandbox-host', name]),
    ...(serverKey === undefined ? [] : ['--server-key', serverKey]),
    ...(serverKeyFile === undefined ? [] : ['--server-key-file', serverKeyFile]),
  ];
  return await become({ command: 'studio', package: '@conv/studio', bin: 'conv-studio' }, args);
}

/**
 * Returns the URL of a server that can be named without a scheme, as for the other commands. Studio would take it for the address of a
 * store. Throws {@link CommandError} for another scheme than those of servers.
 */
function serverUrl(server: string): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]*:\/\/)/i.exec(server) ?? [];
  if (scheme === undefined) return `http://${server}`;
  if (/^https?:/i.test(scheme)) return server;
  throw new CommandError(exitCodes.usage, `--server: expected http:// or https://, found ${scheme}`);
}
