import { SECRET_MASK } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';
import type { CallToolResult } from '@modelcontextprotocol/client';

import { failureOf, type Failure } from './failure.ts';
import { listTools, type ListedTool, type ToolList } from './list-tools.ts';
import type { McpServerConfig } from './mcp-config.ts';
import { openServer, type OpenServer } from './open-server.ts';
import { NotAnswered, ServerFault } from './server-fault.ts';
import { settingsFor } from './server-settings.ts';
import { untilAborted } from './until-aborted.ts';

/** The longest time that a timer keeps. */
const LONGEST = 2 ** 31 - 1;
const LONGEST_REASON = 1000;
/** A part of a value that is shorter than this says nothing. */
const SHORTEST_PART = 8;

/** One server of one conversation. */
export interface ConnectionOptions {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly session: ToolSession;
  /** Milliseconds for connecting with all that belongs to it. */
  readonly connectTimeout: number;
  /** Milliseconds for one call. */
  readonly callTimeout: number;
  /** The tools may have changed: the server said so, or was connected again. */
  readonly onToolsChanged: () => void;
}

/** How a call ended: with what the server answered, or without an answer and why, which can be shown. */
export type CallOutcome = { readonly kind: 'result'; readonly result: CallToolResult } | Failure;

interface Attempt {
  readonly outcome: CallOutcome;
  /** The connection was made for it. */
  readonly isFirst: boolean;
}

/** Connected when it is asked for, and again by the next call after the connection was lost. */
export class ServerConnection {
  readonly options: ConnectionOptions;
  readonly #closing: AbortController = new AbortController();
  #server: Promise<OpenServer> | undefined;
  /** Connections on which a call got lost, or which the server does not know any more. */
  readonly #spent: WeakSet<OpenServer> = new WeakSet();
  #secrets: readonly string[] = [];

  constructor(options: ConnectionOptions) {
    this.options = options;
  }

  /** Connects and lists the tools. Rejects with what went wrong, for {@link ServerConnection.explain}, and with the signal's reason. */
  list(signal: AbortSignal): Promise<ToolList> {
    return this.#inTime(signal, async (limit) => {
      const { client } = (await this.#current()) ?? (await this.#open());
      return listTools(client, { signal: limit, timeout: timer(this.options.connectTimeout) });
    });
  }

  /**
   * Calls a tool. Where the server is gone, or does not take the call, it is connected again and the call made once more; a
   * call that may have begun is not. Rejects with the signal's reason alone.
   */
  async call(tool: ListedTool, input: Record<string, unknown>, signal: AbortSignal): Promise<CallOutcome> {
    const first = await this.#attempt(tool, input, signal);
    if (first.outcome.kind !== 'refused' || first.isFirst) return first.outcome;
    return (await this.#attempt(tool, input, signal)).outcome;
  }

  /** What went wrong, in words without values of the configuration or of secrets. */
  explain(error: unknown, server?: OpenServer): Failure {
    const failure = failureOf(error);
    if (failure.kind === 'timeout') return failure;
    const end = failure.kind === 'answered' ? undefined : server?.lost();
    const { reason = '', said } = end === undefined ? failure : { reason: end, said: server?.lastWords?.() };
    const words = said?.trim() ? `${reason}. It said last: ${this.hide(said.trim()).slice(-LONGEST_REASON)}` : reason;
    return { kind: failure.kind, reason: this.hide(words).slice(0, 2 * LONGEST_REASON) };
  }

  /** The text without values of the configuration and of secrets. */
  hide(text: string): string {
    const mask = (shown: string): string => this.options.session.secrets?.masker.mask(shown) ?? shown;
    // also the lines of a value, which programs print one by one, and what is left of it where a secret in it was hidden
    const parts = this.#secrets.flatMap((value) => [value, mask(value), ...value.split(/\r?\n/)]);
    const hidden = [...new Set(parts)]
      .filter((part) => part.length >= SHORTEST_PART)
      .sort((one, other) => other.length - one.length)
      .reduce((shown, part) => shown.replaceAll(part, SECRET_MASK), text);
    return mask(hidden);
  }

  /** Ends the connection, also one that is being made. Resolves when nothing of it is left; never rejects. */
  async close(): Promise<void> {
    this.#closing.abort(new ServerFault('refused', 'it was closed with the conversation'));
    await this.#server?.then(
      (server) => server.close(),
      () => undefined,
    );
  }

  async #attempt(tool: ListedTool, input: Record<string, unknown>, signal: AbortSignal): Promise<Attempt> {
    let server: OpenServer | undefined;
    let isFirst = false;
    try {
      signal.throwIfAborted();
      server = await untilAborted(this.#current(), signal);
      isFirst = !server;
      server ??= await untilAborted(this.#reconnect(), signal);
      const result = await untilAborted(this.#request(server, tool, input, signal), signal);
      return { outcome: { kind: 'result', result }, isFirst };
    } catch (error) {
      signal.throwIfAborted();
      const failure = this.explain(error, server);
      if (failure.kind === 'timeout') return { outcome: { kind: 'timeout' }, isFirst };
      if (server && failure.kind !== 'answered') this.#spent.add(server);
      return { outcome: failure, isFirst };
    }
  }

  async #request(
    { client, streams }: OpenServer,
    tool: ListedTool,
    input: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const timeout = timer(this.options.callTimeout);
    const { promise: lost, reject } = Promise.withResolvers<never>();
    const stream = streams?.begin(() => reject(new ServerFault('lost', 'the connection ended before the result came')));
    try {
      const call = client.callTool(
        { name: tool.name, arguments: input },
        {
          signal,
          timeout,
          maxTotalTimeout: timeout,
          // without an output schema: what does not fit it is for the model to read all the same
          toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' } },
          ...stream?.options,
        },
      );
      return await Promise.race([call, lost]);
    } finally {
      stream?.end();
    }
  }

  async #current(): Promise<OpenServer | undefined> {
    for (;;) {
      const opening = this.#server;
      const server = await opening?.catch(() => undefined);
      if (server && server.lost() === undefined && !this.#spent.has(server)) return server;
      if (opening !== this.#server) continue;
      this.#server = undefined;
      void server?.close();
      return undefined;
    }
  }

  #reconnect(): Promise<OpenServer> {
    if (this.#server) return this.#server;
    const opening = this.#open();
    opening.then(this.options.onToolsChanged, () => undefined);
    return opening;
  }

  #open(): Promise<OpenServer> {
    const opening = this.#inTime(this.#closing.signal, (limit) => this.#openNow(limit));
    opening.catch(() => undefined);
    this.#server = opening;
    return opening;
  }

  async #openNow(limit: AbortSignal): Promise<OpenServer> {
    const { config, session, connectTimeout, onToolsChanged } = this.options;
    const masker = session.secrets?.masker;
    const settings = await settingsFor(config, session, limit);
    this.#secrets = settings.secrets;
    return openServer(settings, {
      signal: limit,
      timeout: timer(connectTimeout),
      onToolsChanged,
      ...(masker ? { mask: () => masker.stream() } : {}),
    });
  }

  async #inTime<Value>(signal: AbortSignal, work: (limit: AbortSignal) => Promise<Value>): Promise<Value> {
    const deadline = AbortSignal.timeout(timer(this.options.connectTimeout));
    const limit = AbortSignal.any([signal, deadline, this.#closing.signal]);
    try {
      return await untilAborted(work(limit), limit);
    } catch (error) {
      signal.throwIfAborted();
      this.#closing.signal.throwIfAborted();
      if (deadline.aborted) throw new NotAnswered(this.options.connectTimeout);
      throw error;
    }
  }
}

function timer(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST);
}
