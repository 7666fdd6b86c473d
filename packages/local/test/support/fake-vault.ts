import {
  ConversationError,
  SECRET_MASK,
  type Cipher,
  type Masker,
  type MaskStream,
  type MissingSecret,
  type NamedSecrets,
  type SecretDescription,
  type SecretInput,
  type SecretUpdate,
  type SecretVault,
  type StoredSecrets,
} from '@conv/core';

type Get = (options: { signal: AbortSignal }) => string | Promise<string>;

/** Replaces values as they are and as they stand in JSON; what the real one does beyond that is its own business. */
class FakeMasker implements Masker {
  readonly values: string[] = [];

  get version(): number {
    return this.values.length;
  }

  add(value: string): void {
    const inJson = JSON.stringify(value).slice(1, -1);
    for (const form of new Set([value, inJson])) if (!this.values.includes(form)) this.values.push(form);
    this.values.sort((one, other) => other.length - one.length);
  }

  mask(text: string): string {
    return this.values.reduce((masked, value) => masked.replaceAll(value, SECRET_MASK), text);
  }

  stream(): MaskStream {
    let held = '';
    return {
      write: (chunk) => {
        const text = this.mask(held + chunk);
        const kept = this.#beginning(text);
        held = text.slice(text.length - kept);
        return text.slice(0, text.length - kept);
      },
      end: () => (held === '' ? '' : SECRET_MASK),
    };
  }

  /** Returns the length of the text's end that may begin a value. */
  #beginning(text: string): number {
    const longest = Math.max(0, ...this.values.map((value) => value.length - 1));
    for (let length = Math.min(longest, text.length); length > 0; length--)
      if (this.values.some((value) => value.startsWith(text.slice(-length)))) return length;
    return 0;
  }
}

/** A vault that keeps the contract and nothing more. */
export class FakeVault implements SecretVault {
  readonly masker: FakeMasker = new FakeMasker();
  readonly #cipher: Cipher | undefined;
  readonly #secrets = new Map<string, { value?: string; get?: Get; description: string | null }>();
  readonly #hidden = new Set<string>();
  readonly #hiddenTokens: string[] = [];
  #stored: StoredSecrets | undefined;

  constructor({ cipher }: { readonly cipher?: Cipher | undefined }) {
    this.#cipher = cipher;
  }

  get secrets(): readonly SecretDescription[] {
    return [...this.#secrets].map(([name, { description }]) => ({ name, description })).toSorted(byName);
  }

  get missing(): readonly MissingSecret[] {
    const without = [...this.#secrets].filter(([, { value, get }]) => value === undefined && !get);
    return without.map(([name]) => ({ name, reason: 'stored without a value' }));
  }

  get stored(): StoredSecrets {
    this.#stored ??= {
      secretRegistry: {
        secret_sources: Object.fromEntries(
          [...this.#secrets].map(([name, { value, description }]) => [
            name,
            { kind: 'StaticSecret', value: this.#token(value), description },
          ]),
        ),
      },
      hiddenValues: [...this.#hiddenTokens],
    };
    return this.#stored;
  }

  load({ secretRegistry, hiddenValues }: StoredSecrets): void {
    const sources = (secretRegistry['secret_sources'] ?? {}) as Record<
      string,
      { value: string | null; description: string | null }
    >;
    for (const [name, { value, description }] of Object.entries(sources)) {
      const plain = value === null ? undefined : this.#cipher?.decrypt(value);
      this.#secrets.set(name, { ...(plain === undefined ? {} : { value: plain }), description });
      if (plain !== undefined) this.masker.add(plain);
    }
    for (const token of hiddenValues) this.#hide(this.#cipher?.decrypt(token), token);
    this.#stored = { secretRegistry, hiddenValues };
  }

  update(secrets: SecretUpdate): void {
    for (const name of Object.keys(secrets))
      if (!/^[A-Z_]+$/.test(name) || name === 'PATH')
        throw new ConversationError('INVALID_INPUT', `the secret ${name} is no identifier`);
    for (const [name, input] of Object.entries(secrets)) this.#set(name, input);
    this.#stored = undefined;
  }

  hideStored({ secretRegistry, hiddenValues }: StoredSecrets): void {
    const sources = (secretRegistry['secret_sources'] ?? {}) as Record<string, { value: string | null }>;
    for (const token of [...Object.values(sources).map(({ value }) => value), ...hiddenValues]) {
      const plain = token === null ? undefined : this.#cipher?.decrypt(token);
      if (plain !== undefined) this.masker.add(plain);
    }
  }

  hide(values: readonly string[], { keep = false }: { readonly keep?: boolean } = {}): void {
    for (const value of values) {
      this.masker.add(value);
      if (keep) this.#hide(value);
    }
  }

  async environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets> {
    const environment: Record<string, string> = {};
    for (const [name, { value, get }] of this.#secrets) {
      if (!text.includes(name)) continue;
      const found = value ?? (await get?.({ signal }));
      if (found === undefined) continue;
      this.#hide(found);
      environment[name] = found;
    }
    return { environment, missing: this.missing };
  }

  #set(name: string, input: SecretInput | null): void {
    const old = this.#secrets.get(name)?.value;
    this.#hide(old);
    if (input === null) return void this.#secrets.delete(name);
    const { value, get, description } = toSource(input);
    this.#secrets.set(name, { ...(value === undefined ? {} : { value }), ...(get ? { get } : {}), description });
    if (value !== undefined) this.masker.add(value);
  }

  #hide(value: string | undefined, stored?: string): void {
    if (value === undefined || this.#hidden.has(value)) return;
    this.masker.add(value);
    this.#hidden.add(value);
    const token = stored ?? this.#token(value);
    if (token !== null) this.#hiddenTokens.push(token);
    this.#stored = undefined;
  }

  #token(value: string | undefined): string | null {
    return value === undefined || !this.#cipher ? null : this.#cipher.encrypt(value);
  }
}

/** A cipher whose tokens differ each time. */
export function fakeCipher(): Cipher {
  let count = 0;
  return {
    encrypt: (plain) => `sealed:${++count}:${Buffer.from(plain).toString('hex')}`,
    decrypt: (token) => {
      const match = /^sealed:\d+:([0-9a-f]*)$/.exec(token);
      return match ? Buffer.from(match[1] ?? '', 'hex').toString() : undefined;
    },
  };
}

function toSource(input: SecretInput): { value?: string; get?: Get; description: string | null } {
  if (typeof input === 'string') return { value: input, description: null };
  if (typeof input === 'function') return { get: input, description: null };
  const description = input.description ?? null;
  if ('get' in input) return { get: input.get, description };
  if ('value' in input) return { value: input.value, description };
  throw new ConversationError('INVALID_INPUT', 'no source');
}

function byName(one: SecretDescription, other: SecretDescription): number {
  return one.name < other.name ? -1 : 1;
}
