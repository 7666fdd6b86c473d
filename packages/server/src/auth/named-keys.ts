import { checkOptionNames, errorText, type OptionNames } from '@conv/core';
import { timers, type Platform, type Timer, systemPlatform } from '@conv/core/platform';
import { checkRegistry, isRegistryError, type Registry } from '@conv/store-kit/registry';

import type { CookiePurpose } from './key-digests.ts';
import { KIND, toNamedKey, type NamedKey } from './key-records.ts';
import { toCaller, type Caller } from './principal.ts';

/** Options of {@link NamedKeys}. */
export interface NamedKeysOptions {
  /** Clock and timers. Default: those of the host. */
  readonly platform?: Platform;
  /** Milliseconds between two readings of the registry. Default 500, so that a revocation takes effect within a second. */
  readonly interval?: number;
  /** Receives the error of each reading that failed, and of each record that is damaged or no key, once for as long as it lasts. Default: errors are ignored, until the keys are void because they are too old. */
  readonly report?: (error: unknown) => void;
}

const NAMES: OptionNames<NamedKeysOptions> = { platform: true, interval: true, report: true };

/** Milliseconds after which keys that cannot be read again are void, because a key may have been revoked meanwhile. */
const MOST_STALE = 10_000;

/** Milliseconds that the first reading may delay the start of a server. */
const LONGEST_OPENING = 3000;

/** Record of a key as it was read. */
interface ReadKey {
  /** Mark that the record had before it was read. */
  readonly mark: string;
  /** `undefined` for a record that was removed. */
  readonly key: NamedKey | undefined;
}

/**
 * The keys in a registry, looked at again and again, so that additions and revocations take effect without a restart. A look reads the
 * marks of the records, and only the records whose mark has changed.
 */
export class NamedKeys implements Disposable {
  readonly #registry: Registry;
  readonly #platform: Platform;
  readonly #report: (error: unknown) => void;
  readonly #timer: Timer;
  /** By name, without the records that could not be read. */
  #known: ReadonlyMap<string, ReadKey> = new Map();
  #byDigest: ReadonlyMap<string, NamedKey> = new Map();
  /** Milliseconds of the monotonic clock at which the last complete reading began. */
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;
  /** Texts of the failures of the last reading. */
  #reported: readonly string[] = [];

  private constructor(registry: Registry, { platform = systemPlatform, interval = 500, report }: NamedKeysOptions) {
    this.#registry = registry;
    this.#platform = platform;
    this.#report = report ?? (() => {});
    this.#timer = timers.every(platform, interval, () => void this.refresh(), { background: true });
  }

  /**
   * Reads the keys of a registry. A registry that cannot be read does not keep a server from starting: its failure is reported, and its
   * keys are void until it is read. Rejects a `TypeError` for a misspelt option and for a `registry` that is none.
   */
  static async open(registry: Registry, options: NamedKeysOptions = {}): Promise<NamedKeys> {
    checkOptionNames('NamedKeys.open', options, NAMES);
    checkRegistry('NamedKeys.open', registry);
    const keys = new NamedKeys(registry, options);
    const opened = new AbortController();
    const waited = timers.sleep(keys.#platform, LONGEST_OPENING, { signal: opened.signal });
    await Promise.race([keys.refresh(), waited]);
    opened.abort();
    return keys;
  }

  /** Returns the holder of the key or cookie with this digest; `undefined` if it is unknown, revoked or expired. */
  of(what: 'key' | CookiePurpose, digest: string): Caller | undefined {
    if (this.#platform.monotonic() - this.#readAt > MOST_STALE) return undefined;
    const found = this.#byDigest.get(`${what} ${digest}`);
    if (!found || found.revokedAt !== null) return undefined;
    if (found.expiresAt !== null && Date.parse(found.expiresAt) <= this.#platform.now()) return undefined;
    return toCaller(found);
  }

  /** Reads the registry now. Never rejects; a failure is reported. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read()
      .catch((error: unknown) => [error])
      .then((failures) => this.#reportNew(failures))
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Stops reading. */
  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  /** Reports a failure once for as long as it lasts: a record stays damaged, and is read twice a second. */
  #reportNew(failures: readonly unknown[]): void {
    const texts = failures.map((failure) => errorText(failure));
    for (const [at, failure] of failures.entries())
      if (!this.#reported.includes(texts[at] ?? '')) this.#report(failure);
    this.#reported = texts;
  }

  /** Resolves with an error for each key that cannot be read. */
  async #read(): Promise<readonly unknown[]> {
    const begun = this.#platform.monotonic();
    const failures: unknown[] = [];
    // marks come first: a record that changes after them is at least as new as its mark, and is read again if it is newer
    const marks = await this.#registry.marks(KIND);
    const read = await Promise.all(
      Array.from(marks, async ([name, mark]) => [name, await this.#readKey(name, mark, failures)] as const),
    );
    this.#known = new Map(read.flatMap(([name, known]) => (known ? [[name, known]] : [])));
    const byDigest = new Map<string, NamedKey>();
    for (const { key } of this.#known.values())
      if (key)
        for (const what of ['key', 'session', 'workspace'] as const) byDigest.set(`${what} ${key.digests[what]}`, key);
    this.#byDigest = byDigest;
    this.#readAt = begun;
    return failures;
  }

  /** Resolves with a record, read only if its mark has changed; with `undefined` for a damaged record, which is read at each look. */
  async #readKey(name: string, mark: string, failures: unknown[]): Promise<ReadKey | undefined> {
    const before = this.#known.get(name);
    if (before?.mark === mark) return before;
    try {
      const entry = await this.#registry.get(KIND, name);
      return { mark, key: entry && toNamedKey(entry) };
    } catch (error) {
      if (isRegistryError(error) && error.code !== 'DAMAGED') throw error;
      // only this key is void: an unknown limit must not count as no limit
      failures.push(error);
      return undefined;
    }
  }
}
