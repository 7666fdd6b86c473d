import { createHash } from 'node:crypto';
import type { ModelApi } from '../model.ts';

/**
 * Gemini signs its calls, and the wire's tool call has no field for that. As in the reference's logs the signature travels
 * behind this mark in the call's id.
 */
const SIGNATURE_MARK = '__thought__';

/** The id under which a call is stored. */
export function storedCallId(id: string, signature: string | undefined): string {
  return signature === undefined ? id : `${id}${SIGNATURE_MARK}${signature}`;
}

/** A stored call id in two parts: the id, and the mark with what follows it, which may be empty. */
export function splitCallId(storedId: string): { readonly id: string; readonly signature: string } {
  const at = storedId.indexOf(SIGNATURE_MARK);
  return at === -1 ? { id: storedId, signature: '' } : { id: storedId.slice(0, at), signature: storedId.slice(at) };
}

/** The signature in a stored call id. */
export function signatureOf(storedId: string): string | undefined {
  return splitCallId(storedId).signature.slice(SIGNATURE_MARK.length) || undefined;
}

/** The id that a provider is sent for a stored call id: the same for a call and its result, whoever made it. */
export function callIdFor(storedId: string, api: ModelApi): string {
  const { id } = splitCallId(storedId);
  if (api === 'messages' && !/^[a-zA-Z0-9_-]+$/.test(id)) return replaced(id);
  return api === 'responses' && id.length > 64 ? replaced(id) : id;
}

function replaced(id: string): string {
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}
