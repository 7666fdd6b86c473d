import { createHash } from 'node:crypto';

import type { JsonObject } from '@conv/core/tool';
import { z } from 'zod';

import type { McpAuthRecords } from './authorization.ts';

// the client library reads more members of these than are named here
const metadataSchema = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
});
const clientSchema = z.looseObject({ client_id: z.string(), client_secret: z.string().optional() });

const tokensSchema = z.object({
  access: z.string(),
  refresh: z.string().optional(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number().optional(),
  scope: z.string().optional(),
});

const registeredSchema = z.object({ info: clientSchema, redirectUrl: z.string() });

const loginSchema = z.object({
  state: z.string(),
  verifier: z.string(),
  address: z.string(),
  redirectUrl: z.string(),
  scope: z.string().optional(),
  /** The client of this login, which that of the tokens may not be. Default: that of the tokens. */
  client: registeredSchema.optional(),
  expiresAt: z.number(),
  /** True if a browser has come back with it, which works once. */
  isUsed: z.boolean(),
});

const recordSchema = z.object({
  /** The address of the MCP server. */
  url: z.string(),
  /** The authorization server. Tokens, registration and login belong to it alone. */
  issuer: z.object({ metadata: metadataSchema, resource: z.string() }).optional(),
  /** The client that the tokens were given to. */
  client: registeredSchema.optional(),
  tokens: tokensSchema.optional(),
  login: loginSchema.optional(),
  /** The end of the last login, if it failed. */
  failure: z.object({ state: z.string(), reason: z.string() }).optional(),
  /** A process that renews the tokens now. */
  renewing: z.object({ id: z.string(), until: z.number() }).optional(),
});

/** The authorization of a person at a server. */
export type AuthState = z.infer<typeof recordSchema>;
export type AuthTokens = z.infer<typeof tokensSchema>;
export type AuthLogin = z.infer<typeof loginSchema>;
export type AuthClient = z.infer<typeof clientSchema>;
export type AuthIssuer = NonNullable<AuthState['issuer']>;

/** The state as it was read. */
export interface HeldState {
  readonly state: AuthState;
  readonly version: string | null;
}

/** Returns the key of the record of a person at a server. */
export function recordKey(owner: string, url: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, url]))
    .digest('base64url');
}

/** Returns the state without a renewal that is on. */
export function settled(state: AuthState): AuthState {
  const { renewing: _, ...others } = state;
  return others;
}

/** The record of a person at a server. Every change is made with the version that was read. */
export class AuthRecord {
  readonly key: string;
  readonly #records: McpAuthRecords;
  readonly #url: string;

  constructor(records: McpAuthRecords, key: string, url: string) {
    this.#records = records;
    this.key = key;
    this.#url = url;
  }

  async read(): Promise<HeldState> {
    const entry = await this.#records.get(this.key);
    const parsed = recordSchema.safeParse(entry?.value);
    const state =
      parsed.success && (this.#url === '' || parsed.data.url === this.#url) ? parsed.data : { url: this.#url };
    return { state, version: entry?.version ?? null };
  }

  /** Resolves with false if the record has changed since it was read. */
  replace({ version }: HeldState, state: AuthState): Promise<boolean> {
    return this.#records.replace(this.key, JSON.parse(JSON.stringify(state)) as JsonObject, version);
  }

  /** Changes the state until no other process is first. `change` returns `undefined` to leave it. Resolves with the last state. */
  async change(change: (state: AuthState) => AuthState | undefined): Promise<AuthState> {
    for (;;) {
      const held = await this.read();
      const next = change(held.state);
      if (!next) return held.state;
      if (await this.replace(held, next)) return next;
    }
  }
}
