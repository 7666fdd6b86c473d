import type { StateFields } from '../state/fields.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Masker } from './masker.ts';
import type { LookupSecret, StaticSource } from './secret-source.ts';

/** Encrypts secret text for storage, and decrypts it. */
export interface Cipher {
  /** Returns a token that holds `plain` and reveals nothing of it. */
  encrypt(plain: string): string;
  /** Returns the text of a token; `undefined` when the token is not of this key. */
  decrypt(token: string): string | undefined;
  /**
   * Re-encrypts each token in the text that only an older key can read; returns the same text when there is none. Absent for a
   * cipher with one key.
   */
  renew?(text: string): string;
}

/** A secret without its value: its name and its purpose. */
export interface SecretDescription {
  readonly name: string;
  readonly description: string | null;
}

/** A secret as callers give it: its value, a function that returns it, or a description of its source. */
export type SecretInput =
  | string
  | (() => string | Promise<string>)
  | (Omit<StaticSource, 'value'> & { readonly value: string })
  | LookupSecret
  | {
      /**
       * Resolves with the current value, whenever a process names the secret. If it throws, the secret is missing. It is not
       * stored, so it must be given again on resume.
       */
      readonly get: (options: { readonly signal: AbortSignal }) => string | Promise<string>;
      readonly description?: string | null;
    };

/** Secrets by name; `null` removes a secret. Its known values stay masked. */
export type SecretUpdate = Readonly<Record<string, SecretInput | null>>;

/** The secrets as state holds them: names, descriptions and ciphertext, never a value. */
export type StoredSecrets = Pick<StateFields, 'secretRegistry' | 'hiddenValues'>;

/** A secret that has no value here, and the reason. */
export interface MissingSecret {
  readonly name: string;
  readonly reason: string;
}

/** The secrets for one process. */
export interface NamedSecrets {
  readonly environment: Readonly<Record<string, string>>;
  /** Named secrets without a value. */
  readonly missing: readonly MissingSecret[];
}

/**
 * The secrets of one conversation, the only place of their values. A value leaves the vault only in the environment of a
 * process that names its secret.
 */
export interface SecretVault {
  /** Masks every value known so far, old values of rotated secrets included. */
  readonly masker: Masker;
  /** The secrets in the order of their names. */
  readonly secrets: readonly SecretDescription[];
  /** Secrets without a value: stored without a cipher or with another cipher, refused, or from a source that failed. */
  readonly missing: readonly MissingSecret[];
  /** The secrets to store now; the same object until something changes. */
  readonly stored: StoredSecrets;
  /** Loads the stored secrets of a conversation. Called once, before anything else. Never throws: an unreadable secret is missing. */
  load(stored: StoredSecrets): void;
  /**
   * Adds, replaces and removes secrets. Values are masked from now on. Throws `INVALID_INPUT` for a name that is not an identifier
   * or that programs read when they start, and for a value that is not a source; nothing is changed then. A value of fewer than 8
   * characters is refused with a process warning and counts as missing, because masking it would destroy ordinary text.
   */
  update(secrets: SecretUpdate): void;
  /**
   * Lends the secrets of the agent, in the form of the wire: values or sources by name. If the conversation has a secret of the
   * same name with a value, that value wins. Lent secrets are masked and never stored. Never throws: a secret that cannot be
   * read is missing. Absent where the vault does not support such secrets.
   */
  lend?(secrets: JsonObject): void;
  /**
   * Masks the stored secrets of another conversation, a child of this one, without taking them over. Never throws: unreadable
   * secrets are left out.
   */
  hideStored(stored: StoredSecrets): void;
  /**
   * Masks values that are not secrets of the conversation, such as the keys of its model. Too short values are ignored. `keep`:
   * mask them in later processes too, as `hiddenValues` of the stored secrets; without a cipher they are masked in this process
   * alone. `until`: milliseconds since 1970 at which they expire; the vault may forget them then.
   */
  hide(values: readonly string[], options?: { readonly keep?: boolean; readonly until?: number }): void;
  /**
   * Resolves with the secrets whose names occur in `text` as whole identifiers. Their values are resolved now and masked before
   * this resolves. Rejects with `signal.reason` alone; a secret whose source fails is missing.
   */
  environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets>;
}

/** Creates the vault of a conversation. Without a cipher values are stored redacted, and are missing after a restart. */
export type SecretVaultFactory = (options: {
  readonly cipher?: Cipher | undefined;
  /** The platform of the conversation. Default: the platform of the host. */
  readonly platform?: Platform | undefined;
}) => SecretVault;

/** The part of the vault that tools may use. */
export interface ToolSecrets {
  readonly masker: Masker;
  /** Resolves as {@link SecretVault.environmentFor} does, after new values are durable. */
  environmentFor(text: string, signal: AbortSignal): Promise<NamedSecrets>;
}
