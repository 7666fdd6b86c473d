import { impliedSecretKind, REDACTED, type Cipher, type Json, type JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { nameProblem } from './secret-name.ts';
import { isToken } from '../ciphers/secret-key.ts';
import { SECRET_NAME, type DescribedSource, type LookupSource, type SecretSource } from './secret-source.ts';
import { unfitForEnvironment } from './unfit-for-environment.ts';

/** A secret in its stored form, and its source in this process. */
export interface StoredSource extends DescribedSource {
  readonly stored: Json;
  /** The values in the source that must be masked, whether the source can be used or not. */
  readonly values: readonly string[];
}

/** A stored secret text: its value, or the reason why it is unknown; and the form in which it is stored. */
type SecretText =
  | { readonly value: string; readonly stored: string }
  | { readonly reason: string; readonly stored: Json | undefined };

/** Reads and writes the wire's objects of secrets with one cipher, or without. */
export class StoredSourceCodec {
  readonly #cipher: Cipher | undefined;

  constructor(cipher: Cipher | undefined) {
    this.#cipher = cipher;
  }

  /** Decrypts a token; `undefined` if no key here can read it. */
  decrypt(token: string): string | undefined {
    try {
      return this.#cipher?.decrypt(token);
    } catch {
      return undefined;
    }
  }

  /** Encrypts a value; `undefined` without a cipher. */
  encrypt(value: string): string | undefined {
    return this.#cipher?.encrypt(value);
  }

  /** Returns the stored form of a given source. Keeps the tokens of `previous` for equal values. */
  write({ source, description }: DescribedSource, previous: StoredSource | undefined): JsonObject {
    if (source.kind === 'lookup') {
      const before = previous?.source.kind === 'lookup' ? previous : undefined;
      return {
        kind: 'LookupSecret',
        description,
        url: source.url,
        headers: this.#writeHeaders(source.headers, before),
      };
    }
    const same =
      source.kind === 'static' && previous?.source.kind === 'static' && previous.source.value === source.value;
    const kept = same ? member(previous.stored, 'value') : undefined;
    const value = source.kind === 'static' ? (kept ?? this.#protect(source.value)) : REDACTED;
    return { kind: 'StaticSecret', description, value };
  }

  /**
   * Reads a stored source. Never throws: a source that cannot be read is a secret without a value, and stays as it is.
   */
  read(name: string, stored: Json): StoredSource {
    if (!isJsonObject(stored)) return { stored, ...without('it is stored in a form that is not known') };
    const description = typeof stored['description'] === 'string' ? stored['description'] : null;
    const { source, ...rest } = this.#readSource(stored);
    const problem = nameProblem(name);
    return { ...rest, description, source: problem === undefined ? source : { kind: 'none', reason: problem } };
  }

  #readSource(stored: JsonObject): Omit<StoredSource, 'description'> {
    const kind = stored['kind'] ?? impliedSecretKind(stored);
    if (kind === 'StaticSecret') return this.#readStatic(stored);
    if (kind === 'LookupSecret') return this.#readLookup(stored);
    return { stored, ...without('its kind is not known') };
  }

  #readStatic(stored: JsonObject): Omit<StoredSource, 'description'> {
    const text = this.#readText(stored['value']);
    const kept = text.stored === stored['value'] ? stored : { ...stored, value: text.stored ?? null };
    if ('reason' in text) return { stored: kept, ...without(text.reason) };
    const problem = unfitForEnvironment(text.value);
    const source: SecretSource =
      problem === undefined ? { kind: 'static', value: text.value } : { kind: 'none', reason: problem };
    return { stored: kept, source, values: [text.value] };
  }

  #readLookup(stored: JsonObject): Omit<StoredSource, 'description'> {
    const { url, headers: storedHeaders } = stored;
    if (typeof url !== 'string') return { stored, ...without('its url is not text') };
    const headers: Record<string, string> = {};
    const kept: Record<string, Json> = {};
    const values: string[] = [];
    let reason: string | undefined;
    for (const [name, value] of Object.entries(isJsonObject(storedHeaders) ? storedHeaders : {})) {
      const secret = SECRET_NAME.test(name);
      const text = secret ? this.#readText(value) : { value: typeof value === 'string' ? value : '', stored: value };
      kept[name] = text.stored ?? null;
      if ('reason' in text) {
        reason ??= `its header ${name} is missing: ${text.reason}`;
        continue;
      }
      headers[name] = text.value;
      if (secret) values.push(...headerSecrets(text.value));
    }
    const changed = Object.entries(kept).some(
      ([name, value]) => isJsonObject(storedHeaders) && storedHeaders[name] !== value,
    );
    const source: SecretSource = reason === undefined ? { kind: 'lookup', url, headers } : { kind: 'none', reason };
    return { stored: changed ? { ...stored, headers: kept } : stored, source, values };
  }

  #readText(stored: Json | undefined): SecretText {
    if (typeof stored !== 'string' || stored.trim() === '' || stored === REDACTED) {
      return { reason: 'it was stored without its value, which has to be given again', stored };
    }
    const value = this.decrypt(stored);
    if (value !== undefined) return { value, stored };
    if (isToken(stored)) {
      const key = this.#cipher === undefined ? 'no key is here' : 'it was encrypted with another key';
      return { reason: `its stored value cannot be read: ${key}`, stored };
    }
    return { value: stored, stored: this.#protect(stored) };
  }

  #writeHeaders(headers: LookupSource['headers'], previous: StoredSource | undefined): JsonObject {
    const before = member(previous?.stored, 'headers');
    const written = Object.entries(headers).map(([name, value]): [string, Json] => {
      if (!SECRET_NAME.test(name)) return [name, value];
      const same = previous?.source.kind === 'lookup' && previous.source.headers[name] === value;
      return [name, (same ? member(before, name) : undefined) ?? this.#protect(value)];
    });
    return Object.fromEntries(written);
  }

  #protect(value: string): string {
    return this.encrypt(value) ?? REDACTED;
  }
}

/** Returns the values of a given source that must be masked. */
export function secretValues(source: SecretSource): readonly string[] {
  if (source.kind === 'static') return [source.value];
  if (source.kind !== 'lookup') return [];
  return Object.entries(source.headers).flatMap(([name, value]) =>
    SECRET_NAME.test(name) ? headerSecrets(value) : [],
  );
}

/** Returns a header's secrets: the value with and without the scheme before it, as in `Bearer abc`. */
function headerSecrets(value: string): readonly string[] {
  return [value, value.replace(/^\S+\s+/, '')];
}

function without(reason: string): { source: SecretSource; values: readonly string[]; description: null } {
  return { source: { kind: 'none', reason }, values: [], description: null };
}

function member(object: Json | undefined, name: string): Json | undefined {
  return isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}
