import { type Cipher, type Json, type JsonObject, maskJson, REDACTED, SECRET_MASK } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { descriptionSecrets, LLM_SECRETS } from '@conv/openhands/descriptions';

/** The beginning of a token of the protocol's cipher. */
const TOKEN = /^gAAAAA[\w-]{60,}={0,2}$/;

/** Tokens of every cipher within a text, such as an address. */
const TOKENS = /\bgAAAAA[\w-]{20,}={0,2}|\baes-256-gcm\.v1\.[\w-]+/g;

/** Members that hold one secret each. */
const FIELDS: ReadonlySet<string> = new Set([...LLM_SECRETS, 'critic_api_key']);
/** Members whose values are all secrets, under names that clients choose. */
const MAPS: ReadonlySet<string> = new Set(['secrets', 'secret_sources', 'env', 'headers', 'extra_headers', 'acp_env']);
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
/** Names that tell of a secret, such as `search_api_key` and `accessToken`. */
const TELLING = /(?:key|token|secret|password)$/i;
/** A text that only names a secret. */
const REFERENCE = /^(?:[A-Za-z][A-Za-z0-9-]* +)?\$\{[A-Za-z_]\w*\}$/;

/** `told`: below a name that tells of a secret, where each text is one. */
type Place = 'plain' | 'map' | 'auth' | 'told';

/** Names of members that hold a secret: those of the protocol alone, or in data of newer releases all that tell of one, too. */
export type SecretNames = 'known' | 'telling';

/** Converts a secret text. `inMap`: only texts are accepted there. */
type ConvertText = (text: string, place: { readonly inMap: boolean }) => string | null;

interface Conversion {
  readonly convert: ConvertText;
  readonly names: SecretNames;
}

/** Returns the value with hidden secrets: null, or asterisks where only a text is valid. */
export function withoutSecrets<T extends Json>(value: T): T {
  return mapped(value, (_, { inMap }) => (inMap ? REDACTED : null));
}

export function withAsterisks<T extends Json>(value: T, names?: SecretNames): T {
  return mapped(value, () => REDACTED, names);
}

/** Returns the value with secrets in their stored form: encrypted, or asterisks without a cipher. */
export function atRest<T extends Json>(value: T, cipher: Cipher | undefined, names?: SecretNames): T {
  const convert: ConvertText = (text) =>
    TOKEN.test(text) || text === REDACTED ? text : (cipher?.encrypt(text) ?? REDACTED);
  return mapped(value, convert, names);
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
  return mapped(value, (text) => {
    if (!TOKEN.test(text)) return text;
    const plain = cipher.decrypt(text);
    if (plain === undefined)
      throw new TypeError('a secret is encrypted with a key that this server does not have; enter it again');
    return plain;
  });
}

function mapped<T extends Json>(value: T, convert: ConvertText, names: SecretNames = 'known'): T {
  return mapSecrets(value, 'plain', { convert, names }) as T;
}

function mapSecrets(value: Json, place: Place, conversion: Conversion): Json {
  if (Array.isArray(value))
    return value.map((item: Json) =>
      mapSecrets(item, place === 'auth' || place === 'told' ? place : 'plain', conversion),
    );
  if (typeof value !== 'object' || value === null)
    // a token is never anything but a secret
    return typeof value === 'string' && (TOKEN.test(value) || (place === 'told' && isTold(value)))
      ? conversion.convert(value, { inMap: true })
      : value;
  return mapMembers(value as JsonObject, place, conversion);
}

function mapMembers(object: JsonObject, place: Place, conversion: Conversion): JsonObject {
  const { convert, names } = conversion;
  const members = Object.entries(object).map(([name, value]): [string, Json] => {
    if (typeof value === 'string' && value !== '' && value !== SECRET_MASK && isSecret(name, value, { place, names }))
      return [name, convert(value, { inMap: place === 'map' || place === 'told' })];
    if (typeof value === 'string' && ADDRESS.test(name))
      return [name, descriptionSecrets.mapPasswords(value, withinText(convert))];
    const within = mapSecrets(value, placeOf(name, value, { place, names }), conversion);
    return [name, name === 'mcp_config' && isJsonObject(within) ? mapServers(within, convert) : within];
  });
  return Object.fromEntries(members);
}

/** Converts the credentials in the arguments and addresses of MCP servers. */
function mapServers(servers: JsonObject, convert: ConvertText): JsonObject {
  const search = { convert: withinText(convert), known: [] };
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      isJsonObject(server) ? descriptionSecrets.mapCredentials(server, search) : server,
    ]),
  );
}

/** Returns a converter for parts of a text: the result is always a text, and a hidden secret stays hidden. */
function withinText(convert: ConvertText): (text: string) => string {
  return (text) => (text === REDACTED ? text : (convert(text, { inMap: true }) ?? REDACTED));
}

function isSecret(
  name: string,
  text: string,
  { place, names }: { readonly place: Place; readonly names: SecretNames },
): boolean {
  if (FIELDS.has(name) && place !== 'map') return true;
  if (place === 'told') return isTold(text);
  const isNamed =
    place === 'map' || (place === 'auth' && AUTH.has(name)) || (names === 'telling' && TELLING.test(name));
  return isNamed && !REFERENCE.test(text);
}

/** True for a text below a name that tells of a secret that is one. */
function isTold(text: string): boolean {
  return text !== '' && text !== SECRET_MASK && !REFERENCE.test(text);
}

/** Returns the place of a member; a secret source holds its value in the member `value`. */
function placeOf(
  name: string,
  value: Json,
  { place, names }: { readonly place: Place; readonly names: SecretNames },
): Place {
  if (typeof value !== 'object' || value === null) return 'plain';
  if (place === 'told' || (names === 'telling' && TELLING.test(name))) return 'told';
  if (MAPS.has(name)) return 'map';
  if (name === 'auth' || place === 'auth' || place === 'map') return 'auth';
  return 'plain';
}
