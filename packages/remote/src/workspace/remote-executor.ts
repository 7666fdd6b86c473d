import { errorText, isConversationError, type JsonObject } from '@conv/core';
import { timers } from '@conv/core/platform';
import { ToolError, type Executor, type ToolContext, type ToolSession } from '@conv/core/tool';
import { executorRoutes } from '@conv/openhands/rest';

import { callRoute } from '../transport/call-route.ts';
import type { ServerClient } from '../transport/server-client.ts';
import { failureOf } from '../transport/server-failure.ts';
import type { RemoteWorkspace } from './remote-workspace.ts';
import { isStartable, type StartableWorkspace } from './startable-workspace.ts';

/** Milliseconds without a byte after which an executor counts as gone. It sends one every five seconds. */
const SILENCE = 30_000;

/** Bytes of an answer: the largest file that an editor takes, in base 64, the output that is shown meanwhile, and more. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Milliseconds that an executor has to end the programs of a conversation, whose close waits for it. */
const PARTING = 5_000;

const NO_EFFECT = 'This call had no effect.';
const UNKNOWN =
  'The outcome of this call is unknown: it may have run in full, in part, or not at all. Check before repeating it.';

type Session = Pick<ToolSession, 'conversationId' | 'workingDirectory'>;
type Context = Pick<ToolContext, 'signal' | 'onOutput'>;

/** A connection to a server, which is `lost` when the last request failed: it may have started again since, at another address. */
interface Connection {
  readonly kind: 'used' | 'lost';
  readonly client: ServerClient;
  readonly to: RemoteWorkspace;
}

/** Executes the requests of tools on a server, each once. */
export class RemoteExecutor implements Executor {
  readonly #server: RemoteWorkspace | StartableWorkspace;
  /** `undefined` before the first request, and after the close. */
  #connection: Connection | undefined;

  constructor(server: RemoteWorkspace | StartableWorkspace) {
    this.#server = server;
  }

  async execute(session: Session, request: JsonObject, context: Context): Promise<JsonObject> {
    const { signal } = context;
    try {
      return await this.#request(session, request, context).catch((error: unknown) => {
        signal.throwIfAborted();
        if (!isStartable(this.#server) || !isUnsent(error)) throw error;
        // it has ended since the last request, so it is started, and sees this request for the first time
        this.#lose();
        return this.#request(session, request, context);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolError) throw error;
      this.#lose();
      const what = isConversationError(error, 'DENIED') ? 'The executor refuses the key' : 'The executor failed';
      const reason = (isStartable(this.#server) ? this.#server.endReason : undefined) ?? errorText(error);
      throw new ToolError('FAILED', `${what}: ${reason}. ${outcomeOf(error)}`, { cause: error });
    }
  }

  async end(conversationId: string): Promise<void> {
    const client = this.#connection?.client;
    if (!client) return;
    using signal = timers.deadline(client.platform, PARTING);
    const parts = { params: { session_id: conversationId } };
    // an executor that is gone has ended what it ran
    await callRoute(client, executorRoutes.end, parts, { signal, quiet: true }).catch(() => undefined);
  }

  async #request(
    { conversationId, workingDirectory }: Session,
    request: JsonObject,
    { signal, onOutput }: Context,
  ): Promise<JsonObject> {
    const parts = { params: { session_id: conversationId }, body: { working_dir: workingDirectory, request } };
    const client = await this.#connected(signal);
    const onData = onOutput && piecesIn(onOutput);
    const options = { signal, timeout: SILENCE, repeatable: false, mostBytes: MOST_BYTES, onData };
    const { answer, failure } = await callRoute(client, executorRoutes.execute, parts, options);
    if (answer) return answer;
    throw new ToolError('FAILED', failure ?? `The executor gave no answer. ${UNKNOWN}`);
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    const client = this.#connection?.client;
    this.#connection = undefined;
    await client?.close();
  }

  #lose(): void {
    if (this.#connection) this.#connection = { ...this.#connection, kind: 'lost' };
  }

  /** Resolves with a client of the server, which starts if it has to: at first, and after it may have ended. */
  async #connected(signal: AbortSignal): Promise<ServerClient> {
    if (this.#connection?.kind === 'used') return this.#connection.client;
    const to = isStartable(this.#server) ? await this.#server.start({ signal }) : this.#server;
    const before = this.#connection;
    // set before anything is awaited, so that calls at the same time share one client
    const client = before?.to === to ? before.client : to.connect();
    this.#connection = { kind: 'used', client, to };
    if (client !== before?.client) await before?.client.close();
    return client;
  }
}

const LINE_BREAK = 10;

/** Returns a function for the bytes of an answer, which finds the pieces of output in it: each is a line of its own. */
function piecesIn(onOutput: (text: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  // joined once its end has come, because a long line comes in many parts
  const rest: string[] = [];
  return (bytes) => {
    rest.push(decoder.decode(bytes, { stream: true }));
    if (!bytes.includes(LINE_BREAK)) return;
    const lines = rest.splice(0).join('').split('\n');
    rest.push(lines.pop() ?? '');
    for (const line of lines) {
      const [, piece] = /^,?(".*")$/.exec(line) ?? [];
      if (piece !== undefined) onOutput(JSON.parse(piece) as string);
    }
  };
}

/** True if a request did not reach a server, which took no connection. */
function isUnsent(error: unknown): boolean {
  const failure = failureOf(error);
  return failure !== undefined && failure.status === undefined && !failure.sent;
}

/** Returns a sentence about a request that failed: a server that refused it, or did not get it, did nothing. */
function outcomeOf(error: unknown): string {
  const failure = failureOf(error);
  if (!failure) return NO_EFFECT;
  const isRefused = failure.status !== undefined && failure.status < 500;
  return isRefused || !failure.sent ? NO_EFFECT : UNKNOWN;
}
