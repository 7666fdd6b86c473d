import type { Json, JsonObject } from '@conv/core';

/** What stands for a secret that is not shown. */
export const REDACTED = '**********';

/** How every token of the cipher of the protocol starts. */
const TOKEN = 'gAAAAA';
/** Members that are secret wherever they stand. */
const SECRETS: ReadonlySet<string> = new Set([
  'api_key',
  'aws_access_key_id',
  'aws_secret_access_key',
  'aws_session_token',
  'password',
  'client_secret',
  'access_token',
  'refresh_token',
  'id_token',
]);
/** Members in which every text is a secret, and every object the source of one. */
const MAPS: ReadonlySet<string> = new Set(['env', 'headers', 'extra_headers', 'secrets', 'secret_sources']);
/** A text that only names where a secret is. */
const REFERENCE = /^(?:[A-Za-z][A-Za-z0-9-]* +)?\$\{[A-Za-z_]\w*\}$/;

/**
 * What the wire says of an agent or of a state, without its secrets: keys, whatever is encrypted, and the values of environments,
 * headers and sources of secrets. Parts that hold none are shared with the original.
 */
export function redactSecrets(value: JsonObject, replacement: string | null = REDACTED): JsonObject {
  return new Redaction(replacement).object(value);
}

class Redaction {
  readonly #replacement: string | null;

  constructor(replacement: string | null) {
    this.#replacement = replacement;
  }

  object(source: JsonObject): JsonObject {
    return this.#members(source, (key, member) => {
      if (SECRETS.has(key)) return this.#secret(member);
      return MAPS.has(key) && isObject(member) ? this.#map(member) : this.#json(member);
    });
  }

  #map(map: JsonObject): JsonObject {
    return this.#members(map, (_, member) => (isObject(member) ? this.#source(member) : this.#secret(member)));
  }

  #source(source: JsonObject): JsonObject {
    return this.#members(this.object(source), (key, member) => (key === 'value' ? this.#secret(member) : member));
  }

  #json(value: Json): Json {
    if (typeof value === 'string') return value.startsWith(TOKEN) ? this.#replacement : value;
    if (Array.isArray(value)) {
      const items = value.map((item: Json) => this.#json(item));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    return isObject(value) ? this.object(value) : value;
  }

  #secret(value: Json): Json {
    if (typeof value !== 'string') return this.#json(value);
    return value === '' || REFERENCE.test(value) ? value : this.#replacement;
  }

  #members(source: JsonObject, redact: (key: string, member: Json) => Json): JsonObject {
    let copy: Record<string, Json> | undefined;
    for (const [key, member] of Object.entries(source)) {
      const next = redact(key, member);
      if (next === member) continue;
      copy ??= { ...source };
      copy[key] = next;
    }
    return copy ?? source;
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
