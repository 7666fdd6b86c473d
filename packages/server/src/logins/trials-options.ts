import { checkOptionNames, checks, type JsonObject, type OptionNames } from '@conv/core';
import type { EncryptedRecords } from '@conv/store-kit/registry';

/** An MCP server that a client is about to store. */
export interface McpTrialRequest {
  readonly name: string;
  /** As settings have it, with its secrets in plain text. */
  readonly server: JsonObject;
  /** Seconds for connecting and listing, and for the call. */
  readonly timeout: number;
  /** A tool to call when the tools were listed. Default: none. */
  readonly call: { readonly name: string; readonly arguments: JsonObject } | undefined;
}

/** The outcome of a trial. No text holds a secret. */
export type McpTrialResult =
  | {
      readonly kind: 'tools';
      readonly tools: readonly string[];
      readonly called: { readonly isError: boolean; readonly text: string } | undefined;
    }
  /** A person must log in at this address first. */
  | { readonly kind: 'login'; readonly address: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly why: 'timeout' | 'connection' | 'unknown' };

/** Tries MCP servers for clients that are about to store one, and logs in at them. */
export interface McpTrialsOptions {
  /** Tries a server with the logins of a principal, null for the keys of the configuration. Never rejects but with the reason of `signal`. */
  readonly attempt: (
    request: McpTrialRequest,
    principal: string | null,
    signal: AbortSignal,
  ) => Promise<McpTrialResult>;
  /** Resolves with the progress of the login of this address, as `mcpLoginState` of `@conv/tools` does. */
  readonly login: (
    address: string,
  ) => Promise<{ readonly kind: 'open' | 'ended' | 'lost' } | { readonly kind: 'failed'; readonly reason: string }>;
  /** Keeps the trials that wait for a login, with the secrets of their servers. All servers of a fleet share it. */
  readonly jobs: EncryptedRecords;
}

const NAMES: OptionNames<McpTrialsOptions> = { attempt: true, login: true, jobs: true };

/** Throws a `TypeError` that names the wrong member. */
export function checkTrials(place: string, trials: McpTrialsOptions): void {
  checkOptionNames(place, trials, NAMES);
  const { attempt, login, jobs } = trials;
  for (const [name, given] of Object.entries({ attempt, login }))
    if (typeof given !== 'function') throw new TypeError(checks.wrongValue(`${place}: ${name}`, 'a function', given));
  if (typeof jobs?.replace !== 'function')
    throw new TypeError(checks.wrongValue(`${place}: jobs`, 'records such as those of encryptedRecords', jobs));
}
