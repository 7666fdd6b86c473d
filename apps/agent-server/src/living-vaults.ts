import { SECRET_MASK, type SecretVault, type SecretVaultFactory } from '@conv/core';

/**
 * Remembers the vaults of conversations for as long as somebody uses them, so that what goes wrong can be logged without the values of
 * any: which conversation an error comes from is not always known.
 */
export class LivingVaults {
  readonly #vaults = new Set<WeakRef<SecretVault>>();
  readonly #gone = new FinalizationRegistry<WeakRef<SecretVault>>((vault) => void this.#vaults.delete(vault));

  /** A factory whose vaults are remembered. */
  remembering(make: SecretVaultFactory): SecretVaultFactory {
    return (options) => {
      const vault = make(options);
      const reference = new WeakRef(vault);
      this.#vaults.add(reference);
      this.#gone.register(vault, reference);
      return vault;
    };
  }

  /** The text without values; all of it is hidden when that fails. */
  readonly mask = (text: string): string => {
    try {
      let masked = text;
      for (const vault of this.#vaults) masked = vault.deref()?.masker.mask(masked) ?? masked;
      return masked;
    } catch {
      return SECRET_MASK;
    }
  };
}
