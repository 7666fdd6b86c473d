import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { absent, described, jsonObject, number, oneOf } from '../schema/index.ts';

const mcpNoneAuthCredentialSchema = described('MCPNoneAuthCredential', { strategy: z.literal('none') });

const mcpApiKeyAuthCredentialSchema = described('MCPApiKeyAuthCredential', {
  header_name: absent(z.nullable(z.string())),
  strategy: z.literal('api_key'),
  value: absent(z.nullable(z.string())),
});

const mcpBearerAuthCredentialSchema = described('MCPBearerAuthCredential', {
  strategy: z.literal('bearer'),
  value: absent(z.nullable(z.string())),
});

/** User name and password. */
const mcpBasicAuthCredentialSchema = described('MCPBasicAuthCredential', {
  password: absent(z.nullable(z.string())),
  strategy: z.literal('basic'),
  username: z.string(),
});

/** Headers of any name. */
const mcpHeaderAuthCredentialSchema = described('MCPHeaderAuthCredential', {
  headers: absent(z.record(z.string(), z.nullable(z.string()))),
  strategy: z.literal('header'),
});

/** Registration of an OAuth client at its server. */
const mcpOAuthAuthenticationSchema = described('MCPOAuthAuthentication', {
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
});

/** Answer of an OAuth server to the registration of a client. */
const mcpOAuthClientInfoStateSchema = described('MCPOAuthClientInfoState', {
  client_secret: absent(z.nullable(z.string())),
});

/** OAuth tokens. */
const mcpOAuthTokenStateSchema = described('MCPOAuthTokenState', {
  access_token: absent(z.nullable(z.string())),
  refresh_token: absent(z.nullable(z.string())),
});

/** Stored state between OAuth sessions. */
const mcpOAuthStateSchema = described('MCPOAuthState', {
  client_info: absent(z.nullable(mcpOAuthClientInfoStateSchema)),
  token_expires_at: absent(z.nullable(number())),
  tokens: absent(z.nullable(mcpOAuthTokenStateSchema)),
});

const mcpOAuthAuthCredentialSchema = described('MCPOAuthAuthCredential', {
  authentication: absent(z.nullable(mcpOAuthAuthenticationSchema)),
  state: absent(z.nullable(mcpOAuthStateSchema)),
  strategy: z.literal('oauth2'),
});

/** Credential with which a client authenticates at an MCP server. */
export const mcpCredentialSchema = oneOf<JsonObject>({
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
