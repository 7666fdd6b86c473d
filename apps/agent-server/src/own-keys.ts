import { createHmac } from 'node:crypto';

import type { Configuration } from './configuration/effective-configuration.ts';
import { keptSecretKey } from './secret-key.ts';
import { sessionToken, type SessionToken } from './session-token.ts';

/** The keys of a server: session keys that open it, and keys with which it encrypts and signs. */
export interface OwnKeys {
  readonly secretKey: string;
  /** Keys whose tokens are read and that encrypt nothing any more. */
  readonly oldSecretKeys: readonly string[];
  /** Signs what the servers of a fleet ask each other for. */
  readonly fleetKey: string;
  /** The key of a server that was given none. */
  readonly token: SessionToken | undefined;
  /** Every key that is known in the clear: no text may show one. */
  readonly hidden: readonly string[];
}

/** Returns the keys of a server; what was not configured is made and kept beside its settings. Rejects when that cannot be done. */
export async function ownKeys(configuration: Configuration): Promise<OwnKeys> {
  const { sessionKeys, approverKeys, settingsFolder } = configuration;
  const secretKey = configuration.secretKey ?? (await keptSecretKey(settingsFolder));
  // earlier versions encrypted with the first session key
  const oldSecretKeys = [...configuration.oldSecretKeys, ...sessionKeys.slice(0, 1)];
  const isOpen = sessionKeys.length + approverKeys.length === 0;
  const token = isOpen ? await sessionToken(settingsFolder) : undefined;
  const fleetKey = createHmac('sha256', secretKey).update('conv servers').digest('base64url');
  const made = token?.made === undefined ? [] : [token.made];
  const hidden = [...sessionKeys, ...approverKeys, secretKey, ...configuration.oldSecretKeys, fleetKey, ...made];
  return { secretKey, oldSecretKeys, fleetKey, token, hidden };
}
