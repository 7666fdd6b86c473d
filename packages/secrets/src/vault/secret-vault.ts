import { isDeepStrictEqual } from 'node:util';
import {
  checkOptionNames,
  checks,
  type Cipher,
  ConversationError,
  type JsonObject,
  type Masker,
  type MissingSecret,
  type NamedSecrets,
  type OptionNames,
  type SecretDescription,
  type SecretInput,
  type SecretUpdate,
  type SecretVault,
  type StoredSecrets,
} from '@conv/core';
import { isJsonObject, isObject, systemPlatform, type Platform } from '@conv/core/platform';
import { HiddenValues } from './hidden-values.ts';
import { lookUp, SourceFailure, type LookUpDeps } from './look-up.ts';
import { ValueMasker } from '../masking/masker.ts';
import { namesIn } from './secret-name.ts';
import { PassingValues } from './passing-values.ts';
import { parseSource, type SecretSource } from './secret-source.ts';
import { SharedSource, type Outcome } from './shared-source.ts';
import { secretValues, StoredSourceCodec, type StoredSource } from './stored-source.ts';
import { unfitForEnvironment } from './unfit-for-environment.ts';
import { unfitValue } from '../masking/unfit-value.ts';

/** Options of a vault. */
export interface SecretVaultOptions {
  /** Encrypts values at rest. Without one they are stored redacted and are missing after a restart. */
  readonly cipher?: Cipher | undefined;
  /** Does the lookups. Default: the runtime's. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The base of the relative URLs of lookups. Without it these secrets are missing. */
  readonly baseUrl?: string | undefined;
  /** Gives the time for lookups, and for sources that failed. Default: the platform of the host. */
  readonly platform?: Platform | undefined;
}

const NAMES: OptionNames<SecretVaultOptions> = { cipher: true, fetch: true, baseUrl: true, platform: true };

/**
 * The vault of one conversation. A value is masked from the moment it is known, in this process and, with a cipher, in later
 * processes, even after its secret was removed or changed.
 *
 * @example
 * ```ts
 * import { createSecretVault, fernetCipher } from '@conv/secrets';
 *
 * const vault = createSecretVault({ cipher: fernetCipher('a long random text') });
 * vault.update({ DEPLOY_TOKEN: 'tok_8fJ2kQ91xZ', REGION_KEY: async () => 'fetched when it is named' });
 * const { environment } = await vault.environmentFor('deploy --token $DEPLOY_TOKEN', new AbortController().signal);
 * vault.masker.mask(`used ${environment['DEPLOY_TOKEN']}`); // 'used <secret-hidden>'
 * ```
 */
export function createSecretVault(options: SecretVaultOptions = {}): SecretVault {
  checkOptionNames('createSecretVault', options, NAMES);
  const { cipher } = options;
  if (cipher !== undefined && (typeof cipher?.encrypt !== 'function' || typeof cipher.decrypt !== 'function'))
    throw new TypeError(checks.wrongValue('createSecretVault: cipher', 'a cipher such as fernetCipher(key)', cipher));
  return new Vault(options);
}

interface Entry extends StoredSource {
  /** The reason why it can have no value. */
  readonly problem: string | undefined;
  /** The shared requests to its source; `undefined` for a source that is not asked. */
  readonly shared: SharedSource | undefined;
}

class Vault implements SecretVault {
  readonly #masker = new ValueMasker();
  readonly #passing: PassingValues;
  readonly #codec: StoredSourceCodec;
  readonly #hidden: HiddenValues;
  readonly #lookUp: LookUpDeps;
  readonly #entries = new Map<string, Entry>();
  /** The secrets of the agent, which its description keeps. */
  readonly #lent = new Map<string, Entry>();
  /** The members of a loaded registry beside its sources. */
  #registryRest: JsonObject = {};
  #registry: JsonObject | undefined = {};
  #stored: StoredSecrets | undefined;

  constructor({ cipher, fetch, baseUrl, platform = systemPlatform }: SecretVaultOptions) {
    this.#codec = new StoredSourceCodec(cipher);
    this.#hidden = new HiddenValues(this.#codec);
    this.#passing = new PassingValues(this.#masker, platform.now);
    this.#lookUp = { platform, fetch: fetch ?? globalThis.fetch, baseUrl };
  }

  get masker(): Masker {
    return this.#masker;
  }

  get secrets(): readonly SecretDescription[] {
    return this.#sorted()
      .filter(([, { source, problem }]) => source.kind !== 'static' || problem === undefined)
      .map(([name, { description }]) => ({
        name,
        description: description === null ? null : this.#masker.mask(description),
      }));
  }

  get missing(): readonly MissingSecret[] {
    return this.#sorted().flatMap(([name, { problem, shared }]) => {
      const reason = problem ?? shared?.failure;
      return reason === undefined ? [] : [{ name, reason }];
    });
  }

  get stored(): StoredSecrets {
    this.#registry ??= {
      ...this.#registryRest,
      secret_sources: Object.fromEntries([...this.#entries].map(([name, { stored }]) => [name, stored])),
    };
    this.#stored ??= { secretRegistry: this.#registry, hiddenValues: this.#hidden.stored };
    return this.#stored;
  }

  load(stored: StoredSecrets): void {
    const { secret_sources: sources, ...rest } = stored.secretRegistry;
    this.hide(this.#hidden.load(stored.hiddenValues));
    this.#registryRest = rest;
    let changed = sources !== undefined && !isJsonObject(sources);
    for (const [name, source] of Object.entries(isJsonObject(sources) ? sources : {})) {
      const read = this.#codec.read(name, source);
      changed ||= read.stored !== source;
      this.#entries.set(name, this.#entry(name, read));
    }
    this.#registry = changed ? undefined : stored.secretRegistry;
    this.#stored = changed ? undefined : stored;
  }

  update(secrets: SecretUpdate): void {
    if (!isObject(secrets))
      throw new ConversationError(
        'INVALID_INPUT',
        checks.wrongValue('secrets', 'an object such as { DEPLOY_TOKEN: value }', secrets),
      );
    const prepared = Object.entries(secrets).map(([name, input]) => {
      return [name, input === null ? undefined : this.#prepare(name, input)] as const;
    });
    for (const [name, source] of prepared) {
      const previous = this.#entries.get(name);
      if (source === previous) continue;
      if (source === undefined) this.#entries.delete(name);
      else this.#entries.set(name, this.#entry(name, source));
      if (source === undefined || !isDeepStrictEqual(source.stored, previous?.stored)) this.#changed();
      this.#retire(previous?.values ?? [], source?.values ?? []);
    }
  }

  lend(secrets: JsonObject): void {
    this.#lent.clear();
    for (const [name, secret] of Object.entries(secrets)) {
      const source = typeof secret === 'string' ? { kind: 'StaticSecret', value: secret } : secret;
      this.#lent.set(name, this.#entry(name, this.#codec.read(name, source)));
    }
  }

  hideStored({ secretRegistry, hiddenValues }: StoredSecrets): void {
    const { secret_sources: sources } = secretRegistry;
    for (const [name, source] of Object.entries(isJsonObject(sources) ? sources : {}))
      this.hide(this.#codec.read(name, source).values);
    for (const token of hiddenValues) this.hide([this.#codec.decrypt(token) ?? '']);
  }

  hide(
    values: readonly string[],
    { keep = false, until = Infinity }: { readonly keep?: boolean; readonly until?: number } = {},
  ): void {
    this.#passing.add(values, keep ? Infinity : until);
    if (keep) this.#retire(values, []);
  }

  async environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets> {
    signal.throwIfAborted();
    const names = namesIn(text, this.#names()).toSorted();
    const outcomes = await Promise.all(names.map((name) => this.#outcome(name, signal)));
    const environment: [string, string][] = [];
    const missing: MissingSecret[] = [];
    for (const [index, name] of names.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) continue;
      if ('value' in outcome) environment.push([name, outcome.value]);
      else missing.push({ name, reason: outcome.reason });
    }
    return { environment: Object.fromEntries(environment), missing };
  }

  /** `undefined`: the secret was removed meanwhile. */
  async #outcome(name: string, signal: AbortSignal): Promise<Outcome | undefined> {
    const entry = this.#inForce(name);
    if (entry?.problem !== undefined) return { reason: entry.problem };
    if (entry?.source.kind === 'static') return { value: entry.source.value };
    const outcome = await entry?.shared?.outcome(signal);
    return this.#inForce(name) === entry ? outcome : this.#outcome(name, signal);
  }

  /** Returns the secret as an update makes it, before anything changes: the same object if nothing would change. */
  #prepare(name: string, input: SecretInput): StoredSource {
    const previous = this.#entries.get(name);
    const given = parseSource(name, input);
    // A value that a program read from a server in encrypted form comes back in that form.
    const token = given.source.kind === 'static' ? given.source.value : '';
    const plain = this.#codec.decrypt(token);
    const described = plain === undefined ? given : { ...given, source: parseSource(name, plain).source };
    const { source, description } = previous ?? {};
    if (previous !== undefined && isDeepStrictEqual(described, { source, description })) return previous;
    const written = this.#codec.write(described, previous);
    const stored = plain === undefined ? written : { ...written, value: token };
    return { ...described, stored, values: secretValues(described.source) };
  }

  #entry(name: string, source: StoredSource): Entry {
    this.hide(source.values);
    switch (source.source.kind) {
      case 'static':
        return { ...source, problem: this.#refused(name, source.source.value), shared: undefined };
      case 'none':
        return { ...source, problem: source.source.reason, shared: undefined };
      case 'callable':
      case 'lookup':
        return { ...source, problem: undefined, shared: this.#shared(name, source.source) };
    }
  }

  #shared(name: string, source: SecretSource): SharedSource {
    return new SharedSource({
      ask: async (signal) => {
        if (source.kind === 'lookup') return await lookUp(source, this.#lookUp, signal);
        const value = source.kind === 'callable' ? await source.get({ signal }) : undefined;
        if (typeof value !== 'string') throw new SourceFailure('its function returned no text');
        return value;
      },
      accept: (value) => this.#learn(name, value),
      platform: this.#lookUp.platform,
    });
  }

  /** Masks what a source answered, or says why it is not taken. */
  #learn(name: string, value: string): string | undefined {
    const problem = unfitForEnvironment(value) ?? this.#refused(name, value);
    if (problem !== undefined) return problem;
    this.hide([value]);
    try {
      this.#retire([value], []);
      return undefined;
    } catch {
      return 'its value could not be encrypted';
    }
  }

  /** Warns of a value that cannot be masked. */
  #refused(name: string, value: string): string | undefined {
    const reason = unfitValue(value);
    if (reason !== undefined) {
      process.emitWarning(`secret ${name} is not used: ${reason}`, { type: 'SecretWarning' });
    }
    return reason;
  }

  /** Stores that values stay masked which no stored secret holds any more. */
  #retire(values: readonly string[], kept: readonly string[]): void {
    for (const value of values) {
      if (unfitValue(value) === undefined && !kept.includes(value) && this.#hidden.add(value)) this.#stored = undefined;
    }
  }

  #changed(): void {
    this.#registry = undefined;
    this.#stored = undefined;
  }

  #sorted(): readonly (readonly [string, Entry])[] {
    const all = [...this.#names()].map((name) => [name, this.#inForce(name)] as const);
    return all
      .flatMap(([name, entry]) => (entry ? [[name, entry] as const] : []))
      .toSorted(([left], [right]) => (left < right ? -1 : 1));
  }

  #names(): ReadonlySet<string> {
    return new Set([...this.#entries.keys(), ...this.#lent.keys()]);
  }

  /** Returns the secret in force: the conversation's own before the agent's, and a secret with a value before one without. */
  #inForce(name: string): Entry | undefined {
    const [own, lent] = [this.#entries.get(name), this.#lent.get(name)];
    return own?.problem !== undefined && lent?.problem === undefined ? (lent ?? own) : (own ?? lent);
  }
}
