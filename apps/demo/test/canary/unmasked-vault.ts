import type { Masker, SecretVault, SecretVaultFactory } from '@conv/core';
import { createSecretVault } from '@conv/secrets';

const masksNothing: Masker = {
  version: 0,
  mask: (text) => text,
  stream: () => ({ write: (chunk) => chunk, end: () => '' }),
};

/** A vault that keeps and hands out secrets as the real one does, and masks nothing. */
export const createUnmaskedVault: SecretVaultFactory = (options): SecretVault => {
  const vault = createSecretVault(options);
  return {
    masker: masksNothing,
    get secrets() {
      return vault.secrets;
    },
    get missing() {
      return vault.missing;
    },
    get stored() {
      return vault.stored;
    },
    load: (stored) => vault.load(stored),
    update: (secrets) => vault.update(secrets),
    hide: (...hidden) => vault.hide(...hidden),
    hideStored: (stored) => vault.hideStored(stored),
    environmentFor: (text, signal) => vault.environmentFor(text, signal),
  };
};
