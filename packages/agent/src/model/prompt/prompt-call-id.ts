import { createHash } from 'node:crypto';
import type { ModelApi } from '../model.ts';

/**
 * Marks the signature that follows it in the id of a call. Gemini signs its calls, and the wire's tool call has no
 * field for that; the reference's logs use the same mark.
 */
const SIGNATURE_MARK = '__thought__';

export function storedCallId(id: string, signature: string | undefined): string {
  return signature === undefined ? id : `${id}${SIGNATURE_MARK}${signature}`;
}

/** Splits a stored call id into the id, and the mark with the signature behind it, which may be empty. */
export function splitCallId(storedId: string): { readonly id: string; readonly signature: string } {
  const at = storedId.indexOf(SIGNATURE_MARK);
  return at === -1 ? { id: storedId, signature: '' } : { id: storedId.slice(0, at), signature: storedId.slice(at) };
}

/** Returns the signature in a stored call id, if it has one. */
export function signatureOf(storedId: string): string | undefined {
  return splitCallId(storedId).signature.slice(SIGNATURE_MARK.length) || undefined;
}

/** Returns the id that a provider is sent for a stored call id: the same for a call and its result. */
export function callIdFor(storedId: string, api: ModelApi): string {
  const { id } = splitCallId(storedId);
  if (api === 'messages' && !/^[a-zA-Z0-9_-]+$/.test(id)) return replaced(id);
  return api === 'responses' && id.length > 64 ? replaced(id) : id;
}

function replaced(id: string): string {
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}
