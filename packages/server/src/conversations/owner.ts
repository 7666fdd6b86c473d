import type { JsonObject, StateFields } from '@conv/core';

import type { Caller } from '../auth/principal.ts';

/** Metadata member with the name of the principal that started a conversation. A fork has it from its source. */
const OWNER = 'conv_owner';

/** Returns the metadata that makes a caller the owner of a conversation. Callers of the configuration own none. */
export function ownedBy({ name }: Caller): JsonObject {
  return name === null ? {} : { [OWNER]: name };
}

/** Returns the owner of a conversation; null for none. */
export function ownerIn({ extra }: Pick<StateFields, 'extra'>): string | null {
  const owner = extra.meta[OWNER];
  return typeof owner === 'string' ? owner : null;
}
