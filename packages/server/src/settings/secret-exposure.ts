import type { Cipher, JsonObject } from '@conv/core';
import { EXPOSE_SECRETS_HEADER, secretExposure, type SecretExposure } from '@conv/openhands/rest';
import type { FastifyRequest } from 'fastify';

import { callerOf, accessOf, requireApprover } from '../auth/caller.ts';
import { refusalFor } from '../auth/principal.ts';
import { inTheClear, withAsterisks } from '../http/secret-texts.ts';
import { ApiError } from '../http/api-error.ts';
import { settingsAtRest, shownSettings } from './settings-secrets.ts';
import type { StoredSettings } from './stored-settings.ts';

/**
 * Returns how a request wants secrets shown. Throws {@link ApiError} 400 for an unknown value, 403 for a form that the caller may
 * not see, 503 where there is no key to encrypt with.
 */
export function exposureOf(request: FastifyRequest, cipher: Cipher | undefined): SecretExposure {
  const header = request.headers[EXPOSE_SECRETS_HEADER.toLowerCase()];
  const exposure = secretExposure(Array.isArray(header) ? header[0] : header);
  if (exposure === undefined) throw new ApiError(400, `${EXPOSE_SECRETS_HEADER} is one of: encrypted, plaintext`);
  const refusal = exposure === 'redacted' ? undefined : refusalFor(callerOf(request), 'admin');
  if (refusal !== undefined) throw new ApiError(403, refusal);
  if (exposure === 'plaintext') requireApprover(accessOf(request), 'Showing secrets');
  if (exposure === 'encrypted' && !cipher)
    throw new ApiError(503, 'The server has no key to encrypt secrets with; start it with a secret key');
  return exposure;
}

/** Returns stored data with its secrets as requested. Throws {@link ApiError} 409 for secrets of another key. */
export function exposed(kept: JsonObject, exposure: SecretExposure, cipher: Cipher | undefined): JsonObject {
  if (exposure === 'redacted') return withAsterisks(kept);
  if (exposure === 'encrypted' || !cipher) return kept;
  try {
    return inTheClear(kept, cipher);
  } catch (cause) {
    throw new ApiError(409, 'Settings file is corrupted or encrypted with a different key', { cause });
  }
}

/** As {@link exposed}, for all settings. A secret that an earlier version stored as it is shows as the others do. */
export function exposedSettings(
  kept: StoredSettings,
  exposure: SecretExposure,
  cipher: Cipher | undefined,
): StoredSettings {
  if (exposure === 'redacted') return shownSettings(kept);
  const stored = settingsAtRest(kept, cipher);
  return exposed(stored as unknown as JsonObject, exposure, cipher) as unknown as StoredSettings;
}
