/**
 * Reads and writes the ids of calls as events store them: the model's id, and the signature of a provider that signs its calls.
 *
 * @module
 */

/**
 * Marks the signature that follows it in the id of a call. Gemini signs its calls, and the wire's tool call has no
 * field for that; the reference's logs use the same mark.
 */
const SIGNATURE_MARK = '__thought__';

/** Returns the id with which a call is stored: the model's id of it, and the signature if the provider signed the call. */
export function storedCallId(id: string, signature: string | undefined): string {
  return signature === undefined ? id : `${id}${SIGNATURE_MARK}${signature}`;
}

/** Splits the stored id of a call into the model's id and the signature. */
export function splitCallId(storedId: string): { readonly id: string; readonly signature: string | undefined } {
  const at = storedId.indexOf(SIGNATURE_MARK);
  if (at === -1) return { id: storedId, signature: undefined };
  return { id: storedId.slice(0, at), signature: storedId.slice(at + SIGNATURE_MARK.length) };
}
