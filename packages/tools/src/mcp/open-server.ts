import { abortable, type MaskStream } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import type { Confinement } from '@conv/core/tool';
import { fetchWithinOrigin } from '@conv/egress/within-origin';
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

import type { AskedUser } from './asked-user.ts';
import { CallStreams } from './call-streams.ts';
import { type AskedModel, SAMPLING } from './sampling.ts';
import type { ServerLogin } from './server-login.ts';
import { ServerProcess } from './server-process.ts';
import type { AddressSettings, ProcessSettings, ServerSettings } from './server-settings.ts';

const CLIENT = { name: 'conv', version: '1' };
/** Milliseconds within which a server may acknowledge the end of its session. */
const PARTING = 1000;

/** A server that answers requests. */
export interface OpenServer {
  readonly client: Client;
  /** Returns the reason why the server no longer answers; `undefined` while it does. */
  readonly lost: () => string | undefined;
  /** Returns the last output of the server's process. */
  readonly lastWords?: () => string;
  /** Detects calls whose results can no longer come; only HTTP needs it. */
  readonly streams?: CallStreams;
  /** Ends the session or the process. Never rejects. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly platform: Platform;
  /** Aborts the opening: a process is killed at once. */
  readonly signal: AbortSignal;
  /** Milliseconds for one request of the opening. */
  readonly timeout: number;
  /** Called when the server says that its tools have changed. */
  readonly onToolsChanged: () => void;
  /** Asks the user for the server. Default: servers are told that they cannot ask. */
  readonly user?: AskedUser | undefined;
  /** Asks a model for the server. Default: servers are told that they may not. */
  readonly sampling?: AskedModel | undefined;
  /** Masks the standard error of a process. */
  readonly mask?: () => MaskStream;
  /** Confines a process. */
  readonly confinement?: Confinement | undefined;
  /** Authorizes the requests to an address. */
  readonly login?: ServerLogin | undefined;
}

/** Thrown when a server cannot be opened. The client's error is its cause and is not shown. */
export class NotOpened extends Error {
  /** The end of the server's process, in words; `undefined` if it did not end. */
  readonly end: string | undefined;
  readonly lastWords: string;

  constructor(cause: unknown, process?: ServerProcess) {
    super('not opened', { cause });
    this.end = process?.end;
    this.lastWords = process?.lastWords ?? '';
  }
}

/** Starts or reaches a server and initializes the session. Rejects with {@link NotOpened}, with nothing left behind. */
export function openServer(settings: ServerSettings, options: OpenOptions): Promise<OpenServer> {
  return settings.transport === 'stdio' ? openProcess(settings, options) : openAddress(settings, options);
}

async function openProcess(settings: ProcessSettings, options: OpenOptions): Promise<OpenServer> {
  try {
    return await greetProcess(settings, options, 'legacy');
  } catch (error) {
    // nearly all servers know the older handshake, and some exit at the newer one, so try the newer one only if a server refuses
    // the older
    if (!(error instanceof NotOpened && error.cause instanceof ProtocolError)) throw error;
    return greetProcess(settings, options, 'auto');
  }
}

async function greetProcess(
  settings: ProcessSettings,
  options: OpenOptions,
  mode: 'legacy' | 'auto',
): Promise<OpenServer> {
  const { platform, mask, confinement } = options;
  const process = new ServerProcess(platform, settings, { mask: mask?.(), confinement });
  const client = newClient(options, mode);
  const kill = (): void => process.kill();
  options.signal.addEventListener('abort', kill, { once: true });
  try {
    options.signal.throwIfAborted();
    await abortable(client.connect(process, { signal: options.signal, timeout: options.timeout }), options.signal);
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
  const streams = new CallStreams(options.platform);
  const transport = addressTransport(settings, streams, options.login);
  const client = newClient(options, settings.transport === 'sse' ? 'legacy' : 'auto');
  let end: string | undefined;
  const abort = (): void => void transport.close();
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    options.signal.throwIfAborted();
    const greeting = client.connect(transport as Transport, { signal: options.signal, timeout: options.timeout });
    await abortable(greeting, options.signal);
  } catch (error) {
    await transport.close();
    throw new NotOpened(error);
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
  client.onclose = () => (end ??= 'the connection was closed');
  // without the subscription the server cannot report changes of its tools; a new connection asks for them again
  void client.autoOpenedSubscription?.closed.then((why) => {
    if (why !== 'local') end ??= 'the server ended its subscription';
  });
  const part = async (): Promise<void> => {
    end ??= 'it was closed';
    if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined)
      await timers.settlesWithin(
        options.platform,
        PARTING,
        transport.terminateSession().catch(() => undefined),
      );
    await transport.close();
  };
  return { client, streams, lost: () => end, close: () => part().catch(() => undefined) };
}

function addressTransport(
  { transport, url, headers }: AddressSettings,
  streams: CallStreams,
  login: ServerLogin | undefined,
): StreamableHTTPClientTransport | SSEClientTransport {
  const requestInit = { headers };
  const send = transport === 'sse' ? fetchWithinOrigin : streams.fetch;
  const options = { requestInit, fetch: login ? login.around(send) : send };
  return transport === 'sse' ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
}

function newClient({ onToolsChanged, timeout, user, sampling }: OpenOptions, mode: 'legacy' | 'auto'): Client {
  const client = new Client(CLIENT, {
    capabilities: {
      ...(user ? { elicitation: { form: {}, url: {} } } : {}),
      ...(sampling ? { sampling: {} } : {}),
    },
    versionNegotiation: { mode, probe: { timeoutMs: timeout } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
  });
  // an error of a request rejects that request, and the client retries the others
  client.onerror = () => undefined;
  if (user)
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq: { signal } }) => user.ask(params, signal));
  if (sampling)
    client.setRequestHandler(
      SAMPLING,
      // the library checks the result
      async ({ params }, { mcpReq: { signal } }) => (await sampling.ask(params, signal)) as never,
    );
  client.fallbackRequestHandler = ({ method }) => Promise.reject(refusal(method));
  return client;
}

/** Returns the answer to a server's request that this client does not carry out. */
function refusal(method: string): ProtocolError {
  const reason = REFUSALS[method] ?? 'this client does not take such requests';
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, `${method} is refused: ${reason}`);
}

const REFUSALS: Readonly<Record<string, string>> = {
  [SAMPLING]: 'servers may not use the model of this conversation',
  'roots/list': 'this client names no folders',
  'elicitation/create': 'no person can be asked in this conversation',
};
