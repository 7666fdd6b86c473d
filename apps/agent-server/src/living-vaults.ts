import { SECRET_MASK, type SecretVault, type SecretVaultFactory } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { createSecretVault } from '@conv/secrets';

/** Characters from which a vault masks a value. */
const FIT = 8;
/** Keys among which expired ones are not looked for. */
const FEW = 16;

/**
 * Tracks the vaults of conversations while they are in use, so that the log hides the values of all. An error does not always
 * tell the conversation that it comes from.
 */
export class LivingVaults {
  /** Keys of the server, and the times in milliseconds at which they expire. */
  readonly #hidden = new Map<string, number>();
  /** Masks all keys by one search, however many tokens were shown. */
  readonly #own: SecretVault;
  /** Keys that are too short for a vault. */
  readonly #short = new Set<string>();
  /** The number of keys that the last look for expired ones left. */
  #left = 0;
  /** Vaults, and the number of changes of their maskers by keys of the server: a masker with more changes knows other values, too. */
  readonly #vaults = new Map<WeakRef<SecretVault>, number>();
  readonly #gone = new FinalizationRegistry<WeakRef<SecretVault>>((vault) => void this.#vaults.delete(vault));
  readonly #platform: Platform;

  constructor(platform: Platform = systemPlatform) {
    this.#platform = platform;
    this.#own = createSecretVault({ platform });
  }

  /** Returns a factory whose vaults are tracked. */
  remembering(make: SecretVaultFactory): SecretVaultFactory {
    return (options) => {
      const vault = make(options);
      this.#forgetExpired();
      const reference = new WeakRef(vault);
      this.#vaults.set(reference, 0);
      for (const [key, until] of this.#hidden) this.#hideIn(reference, [key], until);
      this.#gone.register(vault, reference);
      return vault;
    };
  }

  /**
   * Hides keys of the server itself in every conversation, and in the log. `until`: milliseconds since 1970 at which they expire, after which
   * they need not be hidden. The latest time of a key holds. Default: never.
   */
  hide(keys: readonly string[], until: number = Infinity): void {
    const fresh = keys.filter((key) => until > (this.#hidden.get(key) ?? -Infinity));
    if (fresh.length === 0) return;
    // a look at each key would cost the square of their number
    if (this.#hidden.size > Math.max(FEW, 2 * this.#left)) this.#forgetExpired();
    for (const key of fresh) this.#hidden.set(key, until);
    for (const key of fresh) if (key.length < FIT) this.#short.add(key);
    this.#own.hide(fresh, { until });
    for (const vault of this.#vaults.keys()) this.#hideIn(vault, fresh, until);
  }

  /** Returns the text without values; hides all of it if masking fails. */
  readonly mask = (text: string): string => {
    try {
      let masked = this.#own.masker.mask(text);
      for (const key of this.#short) masked = masked.replaceAll(key, SECRET_MASK);
      // of a thousand conversations most have no secrets, and their vaults would look for the same keys again
      for (const [vault, given] of this.#vaults) {
        const masker = vault.deref()?.masker;
        if (masker && masker.version > given) masked = masker.mask(masked);
      }
      return masked;
    } catch {
      return SECRET_MASK;
    }
  };

  #hideIn(reference: WeakRef<SecretVault>, keys: readonly string[], until: number): void {
    const vault = reference.deref();
    if (!vault) return;
    const before = vault.masker.version;
    vault.hide(keys, { until });
    this.#vaults.set(reference, (this.#vaults.get(reference) ?? 0) + vault.masker.version - before);
  }

  #forgetExpired(): void {
    const now = this.#platform.now();
    for (const [key, until] of this.#hidden) if (until <= now) this.#hidden.delete(key);
    this.#left = this.#hidden.size;
  }
}
