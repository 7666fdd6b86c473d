import {
  ConversationError,
  type JsonObject,
  type Masker,
  type MissingSecret,
  type NamedSecrets,
  type SecretDescription,
  type SecretVault,
  type StoredSecrets,
  type ToolSecrets,
} from '@conv/core';

/**
 * The secrets of a child conversation while it works for its parent: the parent's current secrets. Secrets that the child has
 * stored itself stay masked and stored.
 */
export class ChildVault implements SecretVault {
  readonly #parent: SecretVault;
  readonly #secrets: ToolSecrets;
  #own: StoredSecrets = { secretRegistry: {}, hiddenValues: [] };
  #stored: { readonly of: StoredSecrets; readonly merged: StoredSecrets } | undefined;

  /** `secrets` are the parent's, which store a learned value before a process gets it. */
  constructor(parent: SecretVault, secrets: ToolSecrets) {
    this.#parent = parent;
    this.#secrets = secrets;
  }

  get masker(): Masker {
    return this.#parent.masker;
  }

  get secrets(): readonly SecretDescription[] {
    return this.#parent.secrets;
  }

  get missing(): readonly MissingSecret[] {
    return this.#parent.missing;
  }

  get stored(): StoredSecrets {
    const of = this.#parent.stored;
    if (this.#stored?.of !== of) this.#stored = { of, merged: merge(this.#own, of) };
    return this.#stored.merged;
  }

  load(stored: StoredSecrets): void {
    this.#own = stored;
    this.#stored = undefined;
    this.#parent.hideStored(stored);
  }

  update(): void {
    throw new ConversationError(
      'UNSUPPORTED',
      'secrets: a conversation that works for its parent uses the secrets of the parent; set them there',
    );
  }

  /** Masks the values that the child's agent brings. The parent's secrets stay in force. */
  lend(secrets: JsonObject): void {
    this.#parent.hideStored({ secretRegistry: { secret_sources: secrets }, hiddenValues: [] });
  }

  hide(...hidden: Parameters<SecretVault['hide']>): void {
    this.#parent.hide(...hidden);
  }

  hideStored(stored: StoredSecrets): void {
    this.#parent.hideStored(stored);
  }

  environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets> {
    return this.#secrets.environmentFor(text, signal);
  }
}

function merge(own: StoredSecrets, parent: StoredSecrets): StoredSecrets {
  const known = new Set(own.hiddenValues);
  const hiddenValues = [...own.hiddenValues, ...parent.hiddenValues.filter((token) => !known.has(token))];
  const secret_sources = { ...sourcesOf(own), ...sourcesOf(parent) };
  return { secretRegistry: { ...own.secretRegistry, ...parent.secretRegistry, secret_sources }, hiddenValues };
}

function sourcesOf({ secretRegistry }: StoredSecrets): JsonObject {
  const sources = secretRegistry['secret_sources'];
  return typeof sources === 'object' && sources !== null && !Array.isArray(sources) ? (sources as JsonObject) : {};
}
