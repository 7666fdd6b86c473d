import type { StateFields } from '../state/fields.ts';
import type { Cipher } from './cipher.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { Masker } from './masker.ts';

/** A secret as it may be shown: what it is called and what it is for. */
export interface SecretDescription {
  readonly name: string;
  readonly description: string | null;
}

/** A value that is known from the start. */
export interface StaticSecret {
  readonly kind?: 'StaticSecret';
  readonly value: string;
  readonly description?: string | null;
}

/** A value that an HTTP GET answers with, asked for when a process names the secret. */
export interface LookupSecret {
  readonly kind?: 'LookupSecret';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly description?: string | null;
}

/** A value that a function returns, called when a process names the secret. Not stored: it has to be given again on resume. */
export interface CallableSecret {
  /** Resolves with the value now. What it throws makes the secret missing. */
  readonly get: (options: { readonly signal: AbortSignal }) => string | Promise<string>;
  readonly description?: string | null;
}

/** A secret as callers give it: its value, a function that returns it, or a description of its source. */
export type SecretInput = string | (() => string | Promise<string>) | StaticSecret | LookupSecret | CallableSecret;

/** Secrets by name; `null` takes one away. What was known of its values stays masked. */
export type SecretUpdate = Readonly<Record<string, SecretInput | null>>;

/** The secrets as state holds them: names, descriptions and ciphertext, never a value. */
export type StoredSecrets = Pick<StateFields, 'secretRegistry' | 'hiddenValues'>;

/** A secret that has no value here, and why. */
export interface MissingSecret {
  readonly name: string;
  readonly reason: string;
}

/** The secrets for one process. */
export interface NamedSecrets {
  readonly environment: Readonly<Record<string, string>>;
  /** Secrets that were named too and have no value. */
  readonly missing: readonly MissingSecret[];
}

/**
 * The secrets of one conversation: the one place where their values are. They leave it as the environment of a process that
 * names them, and in no other way.
 */
export interface SecretVault {
  /** Masks every value that is known so far, old ones of rotated secrets included. */
  readonly masker: Masker;
  /** In the order of their names. */
  readonly secrets: readonly SecretDescription[];
  /** Secrets without a value: stored without a cipher or with another one's, refused, or resolved in vain. */
  readonly missing: readonly MissingSecret[];
  /** The secrets to store now; the same object until something changes. */
  readonly stored: StoredSecrets;
  /** Takes over what a conversation has stored. Called once, before anything else. Never throws: what cannot be read is missing. */
  load(stored: StoredSecrets): void;
  /**
   * Adds, replaces and removes. Values are masked from now on. Throws `INVALID_INPUT` for a name that is no identifier or one
   * that programs read when they start, and for what is no source; nothing is changed then. A value of fewer than 8
   * characters is refused with a process warning and counts as missing: masking it would destroy ordinary text.
   */
  update(secrets: SecretUpdate): void;
  /**
   * Lends the secrets that the agent brings, as the wire writes them: values or sources by name. A secret of the conversation that has a
   * value wins over a lent one of its name. Lent secrets are masked and never stored. Never throws: a secret that cannot be read is
   * missing. Absent where the vault has no such secrets.
   */
  lend?(secrets: JsonObject): void;
  /**
   * Masks the stored secrets of another conversation, a child of this one, without taking them over. Never throws: unreadable
   * secrets are left out.
   */
  hideStored(stored: StoredSecrets): void;
  /**
   * Masks values that are no secrets of the conversation, such as the keys of its model. Too short ones are ignored. `keep`: in the
   * next processes too, as `hiddenValues` of what is to be stored; without a cipher in this one alone.
   */
  hide(values: readonly string[], options?: { readonly keep?: boolean }): void;
  /**
   * The secrets whose names stand in `text` as whole identifiers, with their values, which are resolved now and masked before
   * this resolves. Rejects with `signal.reason` alone; a source that fails is missing.
   */
  environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets>;
}

/** Makes the vault of a conversation. Without a cipher values are stored redacted, and are missing after a restart. */
export type SecretVaultFactory = (options: { readonly cipher?: Cipher | undefined }) => SecretVault;

/** The part of the vault that tools may use. */
export interface ToolSecrets {
  readonly masker: Masker;
  /** As {@link SecretVault.environmentFor}; what was learned is durable before it resolves. */
  environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets>;
}
