import type { IncomingHttpHeaders } from 'node:http';

import { NOT_BEGUN_HEADER, wasSent } from '@conv/openhands/rest';
import { Agent, request, type Dispatcher } from 'undici';

import type { Caller } from '../auth/principal.ts';
import type { Peers } from '../ownership/peers.ts';

/** A command for the server that owns its conversation. */
export interface OwnerRequest {
  readonly method: string;
  /** Path below the server's URL, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | undefined;
  /** True if the command may be executed twice. */
  readonly repeatable: boolean;
  /** The client that sent the command. */
  readonly caller: Caller;
}

/** An owner's answer, whose body is still to be read. */
export interface OwnerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Dispatcher.ResponseData['body'];
}

/** Result of sending a command to an owner. `begun`: the command may have been executed. */
export type OwnerOutcome<T> = { readonly answer: T } | { readonly begun: boolean; readonly cause: unknown };

/** Milliseconds. A running server accepts a connection at once; its answer may take any time. */
const TIMEOUT = { connect: { timeout: 3000 }, headersTimeout: 0, bodyTimeout: 60_000 };

/** Sends requests to the other servers of a fleet. */
export class OwnerRequests {
  readonly #peers: Peers;
  readonly #kept: Agent = new Agent(TIMEOUT);
  // a kept connection may lead to a server that is gone, so a command that is not repeatable gets a connection of its own
  readonly #fresh: Agent = new Agent({ ...TIMEOUT, pipelining: 0 });

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  /** Sends a command. Never rejects, because an abort is an outcome too. */
  async send(
    owner: string,
    { repeatable, caller, ...command }: OwnerRequest,
    signal: AbortSignal,
  ): Promise<OwnerOutcome<OwnerAnswer>> {
    try {
      const {
        statusCode: status,
        headers,
        body,
      } = await request(owner + command.path, {
        method: command.method as Dispatcher.HttpMethod,
        headers: { ...command.headers, ...this.#peers.headersFor(owner, command, caller) },
        body: command.body ?? null,
        dispatcher: repeatable ? this.#kept : this.#fresh,
        signal,
      });
      const notBegun = headers[NOT_BEGUN_HEADER.toLowerCase()];
      if (notBegun === undefined && !(status === 503 && repeatable)) return { answer: { status, headers, body } };
      await body.dump();
      return {
        begun: notBegun === undefined,
        cause: new Error(`${owner} answered ${status} ${notBegun?.toString() ?? ''}`),
      };
    } catch (cause) {
      return { begun: wasSent(cause), cause };
    }
  }

  /** Closes all connections and aborts their requests. */
  async close(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#fresh.destroy()]);
  }
}
