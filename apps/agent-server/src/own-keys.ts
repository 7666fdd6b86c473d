import { createHmac } from 'node:crypto';

import type { Configuration } from './configuration/effective-configuration.ts';
import { keptSecretKeys, type KeptSecretKeys } from './secret-key.ts';
import { sessionToken, type SessionToken } from './session-token.ts';

/** The keys of a server: session keys, and keys for encryption and signatures. */
export interface OwnKeys {
  readonly secretKey: string;
  /** Keys that only decrypt. */
  readonly oldSecretKeys: readonly string[];
  /** Signs requests between servers of a fleet. */
  readonly fleetKey: string;
  /** The key of a server that was given none. */
  readonly token: SessionToken | undefined;
  /** Every key that is known in plain text, to be masked in all texts. */
  readonly hidden: readonly string[];
}

/**
 * Resolves with the keys of a server. Keys that are not configured are generated and stored beside its settings. Rejects if that
 * fails.
 */
export async function ownKeys(configuration: Configuration): Promise<OwnKeys> {
  const { sessionKeys, sessionKeyDigests, approverKeys, settingsFolder } = configuration;
  const given = configuration.secretKey;
  const kept = given === undefined ? await keptSecretKeys(settingsFolder) : { secretKey: given, older: [] };
  const { secretKey } = kept;
  const oldSecretKeys = olderKeys(configuration, kept);
  const isOpen = sessionKeys.length + sessionKeyDigests.length + approverKeys.length === 0;
  const token = isOpen ? await sessionToken(settingsFolder) : undefined;
  const fleetKey = createHmac('sha256', secretKey).update('conv servers').digest('base64url');
  const made = token?.made === undefined ? [] : [token.made];
  const hidden = [
    ...sessionKeys,
    ...approverKeys,
    secretKey,
    ...configuration.oldSecretKeys,
    ...kept.older,
    fleetKey,
    ...made,
  ];
  return { secretKey, oldSecretKeys, fleetKey, token, hidden };
}

/** Returns the keys that only decrypt, of a server with these kept keys. */
export function olderKeys(
  { oldSecretKeys, sessionKeys }: Pick<Configuration, 'oldSecretKeys' | 'sessionKeys'>,
  { older }: Pick<KeptSecretKeys, 'older'>,
): readonly string[] {
  // earlier versions encrypted with the first session key
  return [...oldSecretKeys, ...older, ...sessionKeys.slice(0, 1)];
}
