import { type Cipher, type Json, type JsonObject, maskJson, REDACTED, SECRET_MASK } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { LLM_SECRETS, mapCredentials, mapPasswords } from '@conv/openhands/descriptions';

/** The beginning of a token of the protocol's cipher. */
const TOKEN = /^gAAAAA[\w-]{60,}={0,2}$/;

/** Tokens of every cipher within a text, such as an address. */
const TOKENS = /\bgAAAAA[\w-]{20,}={0,2}|\baes-256-gcm\.v1\.[\w-]+/g;

/** Members that hold one secret each. */
const FIELDS: ReadonlySet<string> = new Set([...LLM_SECRETS, 'critic_api_key']);
/** Members whose values are all secrets, under names that clients choose. */
const MAPS: ReadonlySet<string> = new Set(['secrets', 'secret_sources', 'env', 'headers', 'extra_headers']);
/** Members that hold an address, which may hold a password. */
const ADDRESS = /(?:^|_)(?:url|source)$/;
/** Secret members in the `auth` of an MCP server. */
const AUTH: ReadonlySet<string> = new Set([
  'value',
  'password',
  'client_secret',
  'access_token',
  'refresh_token',
  'id_token',
]);
/** A text that only names a secret. */
const REFERENCE = /^(?:[A-Za-z][A-Za-z0-9-]* +)?\$\{[A-Za-z_]\w*\}$/;

type Place = 'plain' | 'map' | 'auth';

/** Converts a secret text. `inMap`: only texts are accepted there. */
type Convert = (text: string, place: { readonly inMap: boolean }) => string | null;

/** Returns the value with hidden secrets: null, or asterisks where only a text is valid. */
export function withoutSecrets<T extends Json>(value: T): T {
  return mapSecrets(value, 'plain', (_, { inMap }) => (inMap ? REDACTED : null)) as T;
}

export function withAsterisks<T extends Json>(value: T): T {
  return mapSecrets(value, 'plain', () => REDACTED) as T;
}

/** Returns the value with secrets in their stored form: encrypted, or asterisks without a cipher. */
export function atRest<T extends Json>(value: T, cipher: Cipher | undefined): T {
  return mapSecrets(value, 'plain', (text) =>
    TOKEN.test(text) || text === REDACTED ? text : (cipher?.encrypt(text) ?? REDACTED),
  ) as T;
}

/** Returns the value with every ciphertext of an older key encrypted with the newest key; the same object if there is none. */
export function renewed<T extends Json>(value: T, cipher: Cipher | undefined): T {
  return cipher?.renew === undefined ? value : maskJson(value, (text) => cipher.renew?.(text) ?? text);
}

/** True if a text has a token that no key of the cipher opens. */
export function hasForeignToken(text: string, cipher: Cipher): boolean {
  return (text.match(TOKENS) ?? []).some((token) => cipher.decrypt(token) === undefined);
}

/**
 * Returns the value with its secrets decrypted. Throws `TypeError`, which reveals nothing of the value, for a token of another key.
 */
export function inTheClear<T extends Json>(value: T, cipher: Cipher): T {
  return mapSecrets(value, 'plain', (text) => {
    if (!TOKEN.test(text)) return text;
    const plain = cipher.decrypt(text);
    if (plain === undefined) throw new TypeError('a secret is encrypted with a key that this server does not have');
    return plain;
  }) as T;
}

function mapSecrets(value: Json, place: Place, convert: Convert): Json {
  if (Array.isArray(value))
    return value.map((item: Json) => mapSecrets(item, place === 'auth' ? place : 'plain', convert));
  if (typeof value !== 'object' || value === null)
    // a token is never anything but a secret
    return typeof value === 'string' && TOKEN.test(value) ? convert(value, { inMap: true }) : value;
  return mapMembers(value as JsonObject, place, convert);
}

function mapMembers(object: JsonObject, place: Place, convert: Convert): JsonObject {
  const members = Object.entries(object).map(([name, value]): [string, Json] => {
    if (typeof value === 'string' && value !== '' && value !== SECRET_MASK && isSecret(name, value, place))
      return [name, convert(value, { inMap: place === 'map' })];
    if (typeof value === 'string' && ADDRESS.test(name)) return [name, mapPasswords(value, withinText(convert))];
    const mapped = mapSecrets(value, placeOf(name, value, place), convert);
    return [name, name === 'mcp_config' && isJsonObject(mapped) ? mapServers(mapped, convert) : mapped];
  });
  return Object.fromEntries(members);
}

/** Converts the credentials in the arguments and addresses of MCP servers. */
function mapServers(servers: JsonObject, convert: Convert): JsonObject {
  const search = { convert: withinText(convert), known: [] };
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      isJsonObject(server) ? mapCredentials(server, search) : server,
    ]),
  );
}

/** Returns a converter for parts of a text: the result is always a text, and a hidden secret stays hidden. */
function withinText(convert: Convert): (text: string) => string {
  return (text) => (text === REDACTED ? text : (convert(text, { inMap: true }) ?? REDACTED));
}

function isSecret(name: string, text: string, place: Place): boolean {
  if (place === 'map') return !REFERENCE.test(text);
  return FIELDS.has(name) || (place === 'auth' && AUTH.has(name) && !REFERENCE.test(text));
}

/** Returns the place of a member; a secret source holds its value in the member `value`. */
function placeOf(name: string, value: Json, place: Place): Place {
  if (typeof value !== 'object' || value === null) return 'plain';
  if (MAPS.has(name)) return 'map';
  if (name === 'auth' || place === 'auth' || place === 'map') return 'auth';
  return 'plain';
}
