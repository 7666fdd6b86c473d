import type { Json } from '@conv/core';

import { textIn } from '../system/checked-text.ts';
import { RegistryError } from './registry-error.ts';

/** Returns the JSON in a result of `checkedText`. Throws `DAMAGED` for any other text: a right that changed at rest must not hold. */
export function storedRecord(checked: string, place: string): Json {
  const text = textIn(checked);
  if (text === undefined)
    throw new RegistryError(
      'DAMAGED',
      `${place}: expected a record with its check value, found other bytes; remove it, and store the record again`,
    );
  return JSON.parse(text) as Json;
}
