import type { JsonObject } from '@conv/core';
import { readLlm } from '@conv/openhands/descriptions';

import { invalidMember } from '../http/api-error.ts';

/** Throws `ApiError` 422 for the member `llm` of a request if it names no model. */
export function checkModelName(llm: JsonObject): void {
  if (!readLlm(llm).model) throw invalidMember('llm', 'expected the name of a model in model, found none; give it');
}
