import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/tool';

import type { AuthClient } from './auth-record.ts';
import type { McpServerConfig } from './mcp-config.ts';

/** The members of `auth.authentication` of a server with the strategy `oauth2`. */
export interface OAuthSettings {
  /** A client that the operator of the authorization server has registered. */
  readonly client: AuthClient | undefined;
  readonly scope: string | undefined;
  readonly clientName: string | undefined;
  readonly clientMetadataUrl: string | undefined;
}

/** Reads the settings of a server with the strategy `oauth2`. */
export function oauthSettings({ auth }: Pick<McpServerConfig, 'auth'>): OAuthSettings {
  const given = auth?.strategy === 'oauth2' ? auth['authentication'] : undefined;
  const about: JsonObject = isJsonObject(given) ? given : {};
  const { client_id: id, client_secret: secret, scopes } = about;
  const names = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string').join(' ') : scopes;
  return {
    client:
      typeof id === 'string' && id !== ''
        ? { client_id: id, ...(typeof secret === 'string' && secret !== '' ? { client_secret: secret } : {}) }
        : undefined,
    scope: text(names),
    clientName: text(about['client_name']),
    clientMetadataUrl: text(about['client_metadata_url']),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
