import { setTimeout as delay } from 'node:timers/promises';

import { fetchWithinOrigin, type MaskStream } from '@conv/core';
import {
  Client,
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

import { CallStreams } from './call-streams.ts';
import { ServerProcess } from './server-process.ts';
import type { AddressSettings, ProcessSettings, ServerSettings } from './server-settings.ts';
import { untilAborted } from './until-aborted.ts';

const CLIENT = { name: 'conv', version: '1' };
/** How long a server may take to hear that its session is over. */
const PARTING = 1000;

/** A server that answers. */
export interface OpenServer {
  readonly client: Client;
  /** Why it does not answer any more; `undefined` while it does. */
  readonly lost: () => string | undefined;
  /** The last that its process said. */
  readonly lastWords?: () => string;
  /** Notices results that do not come; HTTP alone needs it. */
  readonly streams?: CallStreams;
  /** Ends the session or the process. Never rejects. */
  close(): Promise<void>;
}

/** What opening takes. */
export interface OpenOptions {
  /** Aborts the opening: a process is killed at once. */
  readonly signal: AbortSignal;
  /** Milliseconds for one request of the opening. */
  readonly timeout: number;
  /** The server says that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Masks what a process writes to its standard error. */
  readonly mask?: () => MaskStream;
}

/** A server that could not be opened; the error of the client is its cause and is not shown. */
export class NotOpened extends Error {
  /** How its process ended, and the last that it said. */
  readonly end: string | undefined;
  readonly lastWords: string;

  constructor(cause: unknown, process?: ServerProcess) {
    super('not opened', { cause });
    this.end = process?.end;
    this.lastWords = process?.lastWords ?? '';
  }
}

/** Starts or reaches a server and greets it. Rejects with {@link NotOpened}; nothing of it is left then. */
export function openServer(settings: ServerSettings, options: OpenOptions): Promise<OpenServer> {
  return settings.transport === 'stdio' ? openProcess(settings, options) : openAddress(settings, options);
}

async function openProcess(settings: ProcessSettings, options: OpenOptions): Promise<OpenServer> {
  try {
    return await greetProcess(settings, options, 'legacy');
  } catch (error) {
    // nearly all know the older greeting, and some end at the newer one, so that one is for those that refuse the older
    if (!(error instanceof NotOpened && error.cause instanceof ProtocolError)) throw error;
    return greetProcess(settings, options, 'auto');
  }
}

async function greetProcess(
  settings: ProcessSettings,
  options: OpenOptions,
  mode: 'legacy' | 'auto',
): Promise<OpenServer> {
  const process = new ServerProcess(settings, options.mask?.());
  const client = newClient(options, mode);
  const kill = (): void => process.kill();
  options.signal.addEventListener('abort', kill, { once: true });
  try {
    options.signal.throwIfAborted();
    await untilAborted(client.connect(process, { signal: options.signal, timeout: options.timeout }), options.signal);
  } catch (error) {
    process.kill();
    await process.close();
    throw new NotOpened(error, process);
  } finally {
    options.signal.removeEventListener('abort', kill);
  }
  return {
    client,
    lost: () => process.end,
    lastWords: () => process.lastWords,
    close: () => process.close(),
  };
}

async function openAddress(settings: AddressSettings, options: OpenOptions): Promise<OpenServer> {
  const streams = new CallStreams();
  const transport = addressTransport(settings, streams);
  const client = newClient(options, settings.transport === 'sse' ? 'legacy' : 'auto');
  let end: string | undefined;
  const abort = (): void => void transport.close();
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    options.signal.throwIfAborted();
    const greeting = client.connect(transport as Transport, { signal: options.signal, timeout: options.timeout });
    await untilAborted(greeting, options.signal);
  } catch (error) {
    await transport.close();
    throw new NotOpened(error);
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
  client.onclose = () => (end ??= 'the connection was closed');
  // without it the server's news of its tools would stay away; a new connection asks for them again
  void client.autoOpenedSubscription?.closed.then((why) => {
    if (why !== 'local') end ??= 'the server ended its subscription';
  });
  const part = async (): Promise<void> => {
    end ??= 'it was closed';
    if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined)
      await Promise.race([
        transport.terminateSession().catch(() => undefined),
        delay(PARTING, undefined, { ref: false }),
      ]);
    await transport.close();
  };
  return { client, streams, lost: () => end, close: () => part().catch(() => undefined) };
}

function addressTransport(
  { transport, url, headers }: AddressSettings,
  streams: CallStreams,
): StreamableHTTPClientTransport | SSEClientTransport {
  const requestInit = { headers };
  return transport === 'sse'
    ? new SSEClientTransport(url, { requestInit, fetch: fetchWithinOrigin })
    : new StreamableHTTPClientTransport(url, { requestInit, fetch: streams.fetch });
}

function newClient({ onToolsChanged, timeout }: OpenOptions, mode: 'legacy' | 'auto'): Client {
  const client = new Client(CLIENT, {
    capabilities: {},
    versionNegotiation: { mode, probe: { timeoutMs: timeout } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
  });
  // what fails by itself is told by the request that it fails, or tried again by the client
  client.onerror = () => undefined;
  return client;
}
