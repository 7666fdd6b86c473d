import { SECRET_MASK } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';
import type { CallToolResult } from '@modelcontextprotocol/client';

import { failureOf, type Failure } from './failure.ts';
import { listTools, type ListedTool, type ToolList } from './list-tools.ts';
import type { McpServerConfig } from './mcp-config.ts';
import { openServer, type OpenServer } from './open-server.ts';
import { NotAnswered, ServerFault } from './server-fault.ts';
import { ServerLink, type Lease } from './server-link.ts';
import { settingsFor } from './server-settings.ts';
import { untilAborted } from './until-aborted.ts';

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
  /** A new connection would bring nothing else. */
  readonly isFinal: boolean;
}

/** Connected when it is asked for, and again by the next call after the connection was lost. */
export class ServerConnection {
  readonly options: ConnectionOptions;
  readonly #link: ServerLink;
  #secrets: readonly string[] = [];

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.#link = new ServerLink((limit) => this.#open(limit), options.connectTimeout);
  }

  /** Connects and lists the tools. Rejects with what went wrong, for {@link ServerConnection.explain}, and with the signal's reason. */
  async list(signal: AbortSignal): Promise<ToolList> {
    const { connectTimeout } = this.options;
    const deadline = AbortSignal.timeout(connectTimeout);
    const limit = AbortSignal.any([signal, deadline]);
    try {
      return await untilAborted(this.#listWith(limit), limit);
    } catch (error) {
      signal.throwIfAborted();
      throw deadline.aborted ? new NotAnswered(connectTimeout) : error;
    }
  }

  /**
   * Calls a tool. Where the server is gone, or does not take the call, it is connected again and the call made once more; a
   * call that may have begun is not. Rejects with the signal's reason alone.
   */
  async call(tool: ListedTool, input: Record<string, unknown>, signal: AbortSignal): Promise<CallOutcome> {
    const first = await this.#attempt(tool, input, signal);
    return first.isFinal ? first.outcome : (await this.#attempt(tool, input, signal)).outcome;
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
  close(): Promise<void> {
    return this.#link.close();
  }

  async #attempt(tool: ListedTool, input: Record<string, unknown>, signal: AbortSignal): Promise<Attempt> {
    let lease: Lease | undefined;
    let spent = false;
    try {
      signal.throwIfAborted();
      lease = await this.#leaseUntil(signal);
      if (lease.isNew) this.options.onToolsChanged();
      const result = await untilAborted(this.#request(lease.server, tool, input, signal), signal);
      return { outcome: { kind: 'result', result }, isFinal: true };
    } catch (error) {
      signal.throwIfAborted();
      const outcome = this.explain(error, lease?.server);
      // a session outlives a connection that broke, but not a server that does not know it
      spent = outcome.kind === 'refused';
      return { outcome, isFinal: !spent || !lease || lease.isNew };
    } finally {
      lease?.release({ spent });
    }
  }

  // one that comes after the abort is let go again
  async #leaseUntil(signal: AbortSignal): Promise<Lease> {
    const leasing = this.#link.lease();
    try {
      return await untilAborted(leasing, signal);
    } catch (error) {
      if (signal.aborted)
        leasing.then(
          (lease) => lease.release(),
          () => undefined,
        );
      throw error;
    }
  }

  async #listWith(limit: AbortSignal): Promise<ToolList> {
    const { server, release } = await this.#leaseUntil(limit);
    try {
      return await listTools(server.client, { signal: limit, timeout: this.options.connectTimeout });
    } finally {
      release();
    }
  }

  async #request(
    { client, streams }: OpenServer,
    tool: ListedTool,
    input: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const timeout = this.options.callTimeout;
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

  async #open(limit: AbortSignal): Promise<OpenServer> {
    const { config, session, connectTimeout, onToolsChanged } = this.options;
    const masker = session.secrets?.masker;
    const settings = await settingsFor(config, session, limit);
    this.#secrets = settings.secrets;
    return openServer(settings, {
      signal: limit,
      timeout: connectTimeout,
      onToolsChanged,
      ...(masker ? { mask: () => masker.stream() } : {}),
    });
  }
}
