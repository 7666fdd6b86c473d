/**
 * Secrets in descriptions: where they stand, and how they are read, written and found.
 *
 * @module
 */
import { REDACTED, type Agent, type Cipher } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { JsonObject, Json } from '@conv/core/events';
import { secretsIn } from './secret-names.ts';
import { mapCredentials, mapPasswords } from './server-credentials.ts';
import { LLM_SECRETS } from './stored-llm.ts';

export { passwordsIn, secretsIn } from './secret-names.ts';
export { isReference, withoutReferences } from './secret-references.ts';
export { mapCredentials, mapPasswords, type ConvertCredential, type CredentialSearch } from './server-credentials.ts';

/** The start of every token of the wire's cipher. */
const TOKEN = 'gAAAAA';

const SECRET_FIELDS: ReadonlySet<string> = new Set(LLM_SECRETS);
/** Members whose every value is a secret, by name: `agent_context.secrets`, `env` and `headers` of MCP servers, and `acp_env` of old agents. */
const SECRET_MAPS = new Set(['secrets', 'env', 'headers', 'extra_headers', 'acp_env']);
/** The secret members in the `auth` of an MCP server, at any depth. */
const AUTH_FIELDS = new Set(['value', 'password', 'client_secret', 'access_token', 'refresh_token', 'id_token']);
/** Matches a text that only names a secret, in a map or in `auth`, also behind the scheme of a header. */
const REFERENCE = /^(?:[A-Za-z][A-Za-z0-9-]* +)?\$\{[A-Za-z_]\w*\}$/;
/**
 * Matches a text that is written like a variable. It may be a password as well, so it is treated as a secret, but it is
 * no value to look for in other texts, because commands name variables in this way.
 */
const VARIABLE = /^(?:[A-Za-z][A-Za-z0-9-]* +)?\$[A-Z_][A-Z0-9_]*$/;

/** Members that hold an address, which may hold a password. */
const ADDRESSES = /(?:^|_)url$/;
/** Stands for the arguments and the address of a server, where secrets are parts of texts. */
const ADDRESS = 'address';
/** The shortest value that is looked for in other texts. */
const SHORTEST = 8;

/** Converts a secret text, given its name and the map that it stands in. */
export type Convert = (text: string, name: string, map: string | undefined) => string;

/** Returns a copy of a description with `convert` applied to each secret text, also in addresses of servers. */
export function mapSecrets(description: JsonObject, convert: Convert): JsonObject {
  const mapped = mapObject(description, convert);
  const servers = description['mcp_config'];
  if (!isJsonObject(servers)) return mapped;
  const search = { convert: (text: string) => convert(text, '', ADDRESS), known: knownSecrets(description) };
  return {
    ...mapped,
    mcp_config: mapMembers(mapped['mcp_config'] as JsonObject, (server) =>
      isJsonObject(server) ? mapCredentials(server, search) : server,
    ),
  };
}

function mapMembers(object: JsonObject, change: (value: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}

function mapObject(object: JsonObject, convert: Convert): JsonObject {
  return mapMembers(object, (value, key) => mapMember(key, value, convert));
}

function mapMember(key: string, value: Json, convert: Convert): Json {
  if (typeof value === 'string') return mapText(key, value, convert);
  if (Array.isArray(value)) return value.map((item: Json) => (isJsonObject(item) ? mapObject(item, convert) : item));
  if (!isJsonObject(value)) return value;
  // The names of servers are chosen by users, and say nothing about the members in them.
  if (key === 'mcp_config')
    return mapMembers(value, (server) => (isJsonObject(server) ? mapObject(server, convert) : server));
  if (key === 'auth' && typeof value['strategy'] === 'string') return mapAuth(value, convert);
  return SECRET_MAPS.has(key) ? mapValues(value, key, convert) : mapObject(value, convert);
}

function mapText(key: string, text: string, convert: Convert): string {
  if (ADDRESSES.test(key)) return mapPasswords(text, (password) => convert(password, '', ADDRESS));
  return SECRET_FIELDS.has(key) && text !== '' ? convert(text, key, undefined) : text;
}

/** Converts the tokens and passwords in the authentication of a server, at any depth. */
function mapAuth(auth: JsonObject, convert: Convert): JsonObject {
  return mapMembers(auth, (value, key) => {
    if (typeof value === 'string')
      return AUTH_FIELDS.has(key) && value !== '' && !REFERENCE.test(value) ? convert(value, key, undefined) : value;
    if (!isJsonObject(value)) return value;
    return SECRET_MAPS.has(key) ? mapMember(key, value, convert) : mapAuth(value, convert);
  });
}

/** Converts the texts of a map, all of them secrets. A source holds secrets in `value` and in its headers. */
function mapValues(map: JsonObject, mapName: string, convert: Convert): JsonObject {
  // A secret of the agent's context is a value whatever it looks like.
  const isKept = (text: string): boolean => text === '' || (mapName !== 'secrets' && REFERENCE.test(text));
  return mapMembers(map, (value, name) => {
    if (typeof value === 'string') return isKept(value) ? value : convert(value, name, mapName);
    if (!isJsonObject(value)) return value;
    const secret = typeof value['value'] === 'string' ? { value: convert(value['value'], name, mapName) } : {};
    return { ...mapObject(value, convert), ...secret };
  });
}

/** Returns the conversion that writes secrets in this mode. Without a cipher, `encrypted` falls back to `redacted`. */
export function secretWriter(
  mode: NonNullable<NonNullable<Parameters<Agent['describe']>[0]>['secrets']>,
  cipher: Cipher | undefined,
): Convert {
  if (mode === 'plain') return (text) => text;
  if (mode === 'redacted' || cipher === undefined) return () => REDACTED;
  // A token is left as it is: encrypted twice it would be lost to the reference.
  return (text) => (text === REDACTED || text.startsWith(TOKEN) ? text : cipher.encrypt(text));
}

/**
 * Returns the conversion that reads secrets: tokens of this key are decrypted, all other texts stay. `unreadable` is
 * called with the name of each token that the cipher cannot read.
 */
export function secretReader(cipher: Cipher | undefined, unreadable?: (name: string) => void): Convert {
  return (text, name) => {
    if (!cipher || !text.startsWith(TOKEN)) return text;
    const read = cipher.decrypt(text);
    if (read === undefined) unreadable?.(name);
    return read ?? text;
  };
}

/** Returns a secret that can be used; `undefined` if it is redacted, blank, or a token of another key. */
export function usableSecret(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value === REDACTED || value.startsWith(TOKEN) ? undefined : value;
}

/**
 * Returns the secret values in a description: keys, secrets, credentials, and the values of headers and variables of
 * servers whose names mark them as secret. Leaves out redacted values and tokens of the cipher.
 */
export function secretValuesOf(description: JsonObject): readonly string[] {
  return collect((convert) => void mapSecrets(description, convert));
}

/** Returns the secrets that are a whole text, the longest first. Equal arguments of a server are secret, too. */
function knownSecrets(description: JsonObject): readonly string[] {
  return collect((convert) => void mapObject(description, convert))
    .filter((value) => value.length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length);
}

function collect(look: (convert: Convert) => void): readonly string[] {
  const found = new Set<string>();
  look((text, name, map) => {
    for (const value of valuesIn(text, name, map)) found.add(value);
    return text;
  });
  return [...found];
}

function valuesIn(text: string, name: string, map: string | undefined): readonly string[] {
  const usable = VARIABLE.test(text) && map !== 'secrets' ? undefined : usableSecret(text);
  if (usable === undefined) return [];
  if (map === ADDRESS) return [usable, decoded(usable)];
  return map === undefined || map === 'secrets' ? [usable] : secretsIn(name, usable);
}

/** Returns the value as the server behind the address reads it. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
