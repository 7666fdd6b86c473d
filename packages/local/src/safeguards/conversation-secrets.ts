import { isDeepStrictEqual } from 'node:util';

import type {
  ConversationState,
  Masker,
  MissingSecret,
  NamedSecrets,
  SecretDescription,
  SecretUpdate,
  SecretVault,
  StateFields,
  StoredSecrets,
  ToolSecrets,
  Transaction,
} from '@conv/core';

/** Why secrets have no value in a runtime without a vault. */
export const NO_VAULT = 'this runtime was given no vault for secrets; give local({ secrets: createSecretVault })';

/** The secrets of a conversation: its vault, and the commits that keep what the vault learns. */
export class ConversationSecrets implements ToolSecrets {
  readonly #vault: SecretVault;
  readonly #state: ConversationState;
  #durable: StoredSecrets | undefined;
  #given: SecretUpdate;

  /** `given`: what the caller gave with the conversation. */
  constructor(vault: SecretVault, state: ConversationState, given: SecretUpdate = {}) {
    this.#given = given;
    this.#vault = vault;
    this.#state = state;
    if (isStored(vault.stored, state)) this.#durable = vault.stored;
  }

  get masker(): Masker {
    return this.#vault.masker;
  }

  get secrets(): readonly SecretDescription[] {
    return this.#vault.secrets;
  }

  get missing(): readonly MissingSecret[] {
    return this.#vault.missing;
  }

  /** Masked at once; resolves when durable and waits for no source. Throws as the vault does. */
  async update(secrets: SecretUpdate): Promise<void> {
    this.#vault.update(secrets);
    this.#given = { ...this.#given, ...secrets };
    await this.#keep();
  }

  /** What callers gave in this process of the secrets that there are, for a fork: without a cipher it cannot be read back. */
  get given(): SecretUpdate {
    const names = new Set(this.secrets.map(({ name }) => name));
    return Object.fromEntries(
      Object.entries(this.#given).filter(([name, secret]) => secret !== null && names.has(name)),
    );
  }

  /** A value is on no disk before it is known to be masked: what was learned is durable before a process gets it. */
  async environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets> {
    const named = await this.#vault.environmentFor(text, signal);
    await this.#keep();
    return named;
  }

  async #keep(): Promise<void> {
    const { stored } = this.#vault;
    if (stored === this.#durable) return;
    await this.#state.transaction((transaction) => keepSecrets(transaction, this.#vault.stored));
    this.#durable = stored;
  }
}

/** Stores what is new of what a vault has to store, and no more than that where values were only added. */
export function keepSecrets(transaction: Transaction, stored: StoredSecrets): void {
  const { secretRegistry, hiddenValues } = transaction.state;
  if (!isDeepStrictEqual(stored.secretRegistry, secretRegistry))
    transaction.update({ set: { secretRegistry: stored.secretRegistry } });
  const isLonger = hiddenValues.every((token, at) => token === stored.hiddenValues[at]);
  const added = stored.hiddenValues.slice(hiddenValues.length);
  if (!isLonger) transaction.update({ set: { hiddenValues: stored.hiddenValues } });
  else if (added.length > 0) transaction.update({ add: { hiddenValues: added } });
}

/** What a conversation has stored of secrets. */
export function pickSecrets({ secretRegistry, hiddenValues }: StoredSecrets): StoredSecrets {
  return { secretRegistry, hiddenValues };
}

/** The secrets that a conversation names, without a vault that knows them. */
export function storedSecrets({ secretRegistry }: Pick<StateFields, 'secretRegistry'>): readonly SecretDescription[] {
  const sources = secretRegistry['secret_sources'];
  if (typeof sources !== 'object' || sources === null || Array.isArray(sources)) return [];
  return Object.entries(sources)
    .map(([name, source]) => ({ name, description: descriptionOf(source) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function descriptionOf(source: unknown): string | null {
  const description = typeof source === 'object' && source !== null && 'description' in source && source.description;
  return typeof description === 'string' ? description : null;
}

function isStored(stored: StoredSecrets, state: StoredSecrets): boolean {
  return isDeepStrictEqual(pickSecrets(stored), pickSecrets(state));
}
