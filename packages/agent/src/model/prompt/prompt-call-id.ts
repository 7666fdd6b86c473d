import { createHash } from 'node:crypto';
import { callIds } from '@conv/openhands/messages';

import type { ModelApi } from '../model.ts';

/** Maximum characters of a call's id in a request. */
const LONGEST: Readonly<Partial<Record<ModelApi, number>>> = { chat: 40, responses: 64 };

/** Returns the id that a provider is sent for a stored call id: the same for a call and its result. */
export function callIdFor(storedId: string, api: ModelApi): string {
  const { id } = callIds.splitCallId(storedId);
  if (api === 'messages' && !/^[a-zA-Z0-9_-]+$/.test(id)) return replaced(id);
  return id.length > (LONGEST[api] ?? Infinity) ? replaced(id) : id;
}

function replaced(id: string): string {
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}
