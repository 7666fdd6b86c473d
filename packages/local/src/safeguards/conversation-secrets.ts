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

/** Reason why secrets have no value in a runtime without a vault. */
export const NO_VAULT = 'this runtime was given no vault for secrets; give local({ secrets: createSecretVault })';

/** The secrets of a conversation: its vault, and the commits that store the values which the vault learns. */
export class ConversationSecrets implements ToolSecrets {
  readonly #vault: SecretVault;
  readonly #state: ConversationState;
  #durable: StoredSecrets | undefined;
  #given: SecretUpdate;

  /** `given`: the secrets that the caller gave with the conversation. */
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

  /** Updates the secrets. They are masked at once; resolves when durable and waits for no source. Throws as the vault does. */
  async update(secrets: SecretUpdate): Promise<void> {
    this.#vault.update(secrets);
    this.#given = { ...this.#given, ...secrets };
    await this.#keep();
  }

  /** The secrets that callers gave in this process and that still exist. A fork needs them: they cannot be read without a cipher. */
  get given(): SecretUpdate {
    const names = new Set(this.secrets.map(({ name }) => name));
    return Object.fromEntries(
      Object.entries(this.#given).filter(([name, secret]) => secret !== null && names.has(name)),
    );
  }

  /** Returns the secrets that a text names. A learned value is durable before a process gets it, so that it is masked everywhere. */
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

/** Stores the changes of a vault's secrets. If values were only added, only these are stored. */
export function keepSecrets(transaction: Transaction, stored: StoredSecrets): void {
  const { secretRegistry, hiddenValues } = transaction.state;
  if (!isDeepStrictEqual(stored.secretRegistry, secretRegistry))
    transaction.update({ set: { secretRegistry: stored.secretRegistry } });
  const isLonger = hiddenValues.every((token, at) => token === stored.hiddenValues[at]);
  const added = stored.hiddenValues.slice(hiddenValues.length);
  if (!isLonger) transaction.update({ set: { hiddenValues: stored.hiddenValues } });
  else if (added.length > 0) transaction.update({ add: { hiddenValues: added } });
}

export function pickSecrets({ secretRegistry, hiddenValues }: StoredSecrets): StoredSecrets {
  return { secretRegistry, hiddenValues };
}

/** Returns the secrets that a conversation names, without a vault that knows their values. */
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
