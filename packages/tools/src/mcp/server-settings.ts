import { resolve } from 'node:path';

import type { ToolSession } from '@conv/core/tool';
import { expandReferences, referencesIn } from '@conv/openhands/references';

import type { McpAuth, McpServerConfig, McpValues } from './mcp-config.ts';
import { basicToken, serverSecrets } from './secret-values.ts';
import { ServerFault } from './server-fault.ts';

/** The command of a server in one conversation, with the values of secrets in it. */
export interface ProcessSettings {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Values that must not appear in messages about the server. */
  readonly secrets: readonly string[];
}

/** The address of a server, with the values of secrets in it. */
export interface AddressSettings {
  readonly transport: 'http' | 'sse';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Values that must not appear in messages about the server. */
  readonly secrets: readonly string[];
}

export type ServerSettings = ProcessSettings | AddressSettings;

/**
 * Puts the values of the session's secrets where the configuration names them. Rejects with {@link ServerFault} if a
 * secret has no value or the address is invalid, and with `signal.reason`.
 */
export async function settingsFor(
  config: McpServerConfig,
  session: ToolSession,
  signal: AbortSignal,
): Promise<ServerSettings> {
  // texts for people do not refer to secrets
  const used = { ...config, description: null, icon: null };
  const { server, values } = await withSecrets(used, session, signal);
  const secrets = [...serverSecrets(server), ...Object.values(values)];
  if (server.command) return { ...processSettings(server, session), secrets };
  return { ...addressSettings(server, config), secrets };
}

/** Puts the values of secrets where a part of a configuration names them. Rejects as {@link settingsFor}. */
export async function withSecrets<Part>(
  part: Part,
  session: Pick<ToolSession, 'secrets'>,
  signal: AbortSignal,
): Promise<{ readonly server: Part; readonly values: Readonly<Record<string, string>> }> {
  const values = await secretsIn(part, session, signal);
  return { server: expandReferences(part, { values, defaults: true }), values };
}

async function secretsIn(
  config: unknown,
  { secrets }: Pick<ToolSession, 'secrets'>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const references = referencesIn(config);
  if (!secrets || references.length === 0) return {};
  const { environment, missing } = await secrets.environmentFor(references.map(({ name }) => name).join(' '), signal);
  const needed = new Set(references.filter(({ hasDefault }) => !hasDefault).map(({ name }) => name));
  const wanting = missing
    .filter(({ name }) => needed.has(name))
    .map(({ name, reason }) => `${name} (${reason.replace(/\.$/, '')})`);
  if (wanting.length > 0)
    throw new ServerFault('refused', `secrets that it needs have no value here: ${wanting.join(', ')}`);
  return environment;
}

function processSettings(
  { command, args, env, cwd }: McpServerConfig,
  { workingDirectory }: ToolSession,
): Omit<ProcessSettings, 'secrets'> {
  return {
    transport: 'stdio',
    command: command ?? '',
    args: args ?? [],
    env: present(env),
    cwd: resolve(workingDirectory, cwd ?? '.'),
  };
}

function addressSettings(server: McpServerConfig, { transport }: McpServerConfig): Omit<AddressSettings, 'secrets'> {
  const address = server.url ?? '';
  if (!URL.canParse(address)) throw new ServerFault('refused', 'its url is not a valid URL');
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ServerFault('refused', 'its url is neither http nor https');
  if (url.username !== '' || url.password !== '')
    throw new ServerFault('refused', 'its url holds a user name or a password; use `auth` with the strategy basic');
  const legacy = transport === 'sse' || (!transport && /\/sse\/?$/.test(url.pathname));
  return { transport: legacy ? 'sse' : 'http', url, headers: headersOf(server) };
}

function headersOf({ headers, auth }: McpServerConfig): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(present(headers)), ...authHeaders(auth)]) {
    // no error of the platform here, because its message holds the value
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[^\t -~\u0080-\u00ff]/.test(value))
      throw new ServerFault('refused', 'a header has a name or a value that HTTP does not allow');
    // names in one case, so that auth replaces a header and is not added to it
    all[name.toLowerCase()] = value;
  }
  return all;
}

function authHeaders(auth: McpAuth | null | undefined): readonly (readonly [string, string])[] {
  if (!auth) return [];
  switch (auth.strategy) {
    case 'api_key':
      if (!auth.value) return [];
      return auth.header_name ? [[auth.header_name, auth.value]] : [['authorization', `Bearer ${auth.value}`]];
    case 'bearer':
      return auth.value ? [['authorization', `Bearer ${auth.value}`]] : [];
    case 'basic':
      return [['authorization', `Basic ${basicToken(auth.username, auth.password ?? '')}`]];
    case 'header':
      return Object.entries(present(auth.headers));
    case 'none':
    case 'oauth2':
      return [];
  }
}

function present(values: McpValues | null | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}
