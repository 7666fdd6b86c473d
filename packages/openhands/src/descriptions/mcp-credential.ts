import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { jsonObject, number } from '../schema/scalars.ts';

/** No credential. */
export interface McpNoneAuthCredential {
  readonly strategy: 'none';
}

const mcpNoneAuthCredentialSchema: z.ZodType<McpNoneAuthCredential> = named(
  'MCPNoneAuthCredential',
  kept({
    strategy: z.literal('none'),
  }),
);

/** A key in a header. */
export interface McpApiKeyAuthCredential {
  readonly header_name?: string | null;
  readonly strategy: 'api_key';
  readonly value?: string | null;
}

const mcpApiKeyAuthCredentialSchema: z.ZodType<McpApiKeyAuthCredential> = named(
  'MCPApiKeyAuthCredential',
  kept({
    header_name: absent(z.nullable(z.string())),
    strategy: z.literal('api_key'),
    value: absent(z.nullable(z.string())),
  }),
);

/** A bearer token. */
export interface McpBearerAuthCredential {
  readonly strategy: 'bearer';
  readonly value?: string | null;
}

const mcpBearerAuthCredentialSchema: z.ZodType<McpBearerAuthCredential> = named(
  'MCPBearerAuthCredential',
  kept({
    strategy: z.literal('bearer'),
    value: absent(z.nullable(z.string())),
  }),
);

/** User name and password. */
export interface McpBasicAuthCredential {
  readonly password?: string | null;
  readonly strategy: 'basic';
  readonly username: string;
}

const mcpBasicAuthCredentialSchema: z.ZodType<McpBasicAuthCredential> = named(
  'MCPBasicAuthCredential',
  kept({
    password: absent(z.nullable(z.string())),
    strategy: z.literal('basic'),
    username: z.string(),
  }),
);

/** Headers of any name. */
export interface McpHeaderAuthCredential {
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly strategy: 'header';
}

const mcpHeaderAuthCredentialSchema: z.ZodType<McpHeaderAuthCredential> = named(
  'MCPHeaderAuthCredential',
  kept({
    headers: absent(z.record(z.string(), z.nullable(z.string()))),
    strategy: z.literal('header'),
  }),
);

/** How an OAuth client introduces itself. */
export interface McpOAuthAuthentication {
  readonly additional_client_metadata?: JsonObject | null;
  readonly client_auth_method?: 'none' | 'client_secret_post' | 'client_secret_basic' | 'private_key_jwt' | null;
  readonly client_id?: string | null;
  readonly client_metadata_url?: string | null;
  readonly client_name?: string | null;
  readonly client_secret?: string | null;
  readonly scopes?: string | readonly string[] | null;
  readonly type: 'oauth';
}

const mcpOAuthAuthenticationSchema: z.ZodType<McpOAuthAuthentication> = named(
  'MCPOAuthAuthentication',
  kept({
    additional_client_metadata: absent(z.nullable(jsonObject)),
    client_auth_method: absent(
      z.nullable(z.enum(['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'])),
    ),
    client_id: absent(z.nullable(z.string())),
    client_metadata_url: absent(z.nullable(z.string())),
    client_name: absent(z.nullable(z.string())),
    client_secret: absent(z.nullable(z.string())),
    scopes: absent(z.nullable(z.union([z.string(), z.array(z.string())]))),
    type: z.literal('oauth'),
  }),
);

/** What an OAuth server said of the client. */
export interface McpOAuthClientInfoState {
  readonly client_secret?: string | null;
}

const mcpOAuthClientInfoStateSchema: z.ZodType<McpOAuthClientInfoState> = named(
  'MCPOAuthClientInfoState',
  kept({
    client_secret: absent(z.nullable(z.string())),
  }),
);

/** OAuth tokens. */
export interface McpOAuthTokenState {
  readonly access_token?: string | null;
  readonly refresh_token?: string | null;
}

const mcpOAuthTokenStateSchema: z.ZodType<McpOAuthTokenState> = named(
  'MCPOAuthTokenState',
  kept({
    access_token: absent(z.nullable(z.string())),
    refresh_token: absent(z.nullable(z.string())),
  }),
);

/** What is kept between OAuth sessions. */
export interface McpOAuthState {
  readonly client_info?: McpOAuthClientInfoState | null;
  readonly token_expires_at?: number | null;
  readonly tokens?: McpOAuthTokenState | null;
}

const mcpOAuthStateSchema: z.ZodType<McpOAuthState> = named(
  'MCPOAuthState',
  kept({
    client_info: absent(z.nullable(mcpOAuthClientInfoStateSchema)),
    token_expires_at: absent(z.nullable(number())),
    tokens: absent(z.nullable(mcpOAuthTokenStateSchema)),
  }),
);

/** OAuth 2. */
export interface McpOAuthAuthCredential {
  readonly authentication?: McpOAuthAuthentication | null;
  readonly state?: McpOAuthState | null;
  readonly strategy: 'oauth2';
}

const mcpOAuthAuthCredentialSchema: z.ZodType<McpOAuthAuthCredential> = named(
  'MCPOAuthAuthCredential',
  kept({
    authentication: absent(z.nullable(mcpOAuthAuthenticationSchema)),
    state: absent(z.nullable(mcpOAuthStateSchema)),
    strategy: z.literal('oauth2'),
  }),
);

/** How a client of an MCP server shows who it is. */
export type McpCredential =
  | McpNoneAuthCredential
  | McpApiKeyAuthCredential
  | McpBearerAuthCredential
  | McpBasicAuthCredential
  | McpHeaderAuthCredential
  | McpOAuthAuthCredential;

/** A credential by its strategy. */
export const mcpCredentialSchema: z.ZodType<McpCredential> = oneOf<McpCredential>({
  by: 'strategy',
  members: {
    none: mcpNoneAuthCredentialSchema,
    api_key: mcpApiKeyAuthCredentialSchema,
    bearer: mcpBearerAuthCredentialSchema,
    basic: mcpBasicAuthCredentialSchema,
    header: mcpHeaderAuthCredentialSchema,
    oauth2: mcpOAuthAuthCredentialSchema,
  },
});
