import type { JsonObject, StateFields } from '@conv/core';

import { withoutSecrets } from '../http/secret-texts.ts';

/** Returns fields of a state as clients see them: without secrets, and without ciphertext of hidden values. */
export function shownFields(fields: Partial<StateFields>): JsonObject {
  const { hiddenValues, ...rest } = fields;
  return { ...withoutSecrets(rest as unknown as JsonObject), ...(hiddenValues ? { hiddenValues: [] } : {}) };
}
