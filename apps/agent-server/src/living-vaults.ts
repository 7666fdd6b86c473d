import { SECRET_MASK, type SecretVault, type SecretVaultFactory } from '@conv/core';

/**
 * Tracks the vaults of conversations while they are in use, so that the log hides the values of all. An error does not always
 * tell the conversation that it comes from.
 */
export class LivingVaults {
  readonly #hidden = new Set<string>();
  readonly #vaults = new Set<WeakRef<SecretVault>>();
  readonly #gone = new FinalizationRegistry<WeakRef<SecretVault>>((vault) => void this.#vaults.delete(vault));

  /** Returns a factory whose vaults are tracked. */
  remembering(make: SecretVaultFactory): SecretVaultFactory {
    return (options) => {
      const vault = make(options);
      vault.hide([...this.#hidden]);
      const reference = new WeakRef(vault);
      this.#vaults.add(reference);
      this.#gone.register(vault, reference);
      return vault;
    };
  }

  /** Hides keys of the server itself in every conversation, and in the log. */
  hide(keys: readonly string[]): void {
    const fresh = keys.filter((key) => !this.#hidden.has(key));
    if (fresh.length === 0) return;
    for (const key of fresh) this.#hidden.add(key);
    for (const vault of this.#vaults) vault.deref()?.hide(fresh);
  }

  /** Returns the text without values; hides all of it if masking fails. */
  readonly mask = (text: string): string => {
    try {
      let masked = text;
      for (const key of this.#hidden) masked = masked.replaceAll(key, SECRET_MASK);
      for (const vault of this.#vaults) masked = vault.deref()?.masker.mask(masked) ?? masked;
      return masked;
    } catch {
      return SECRET_MASK;
    }
  };
}
