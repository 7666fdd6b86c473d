import { createHash } from 'node:crypto';

/** A check value for a text that a client must send back unchanged. */
export function sealOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Stands in for a provider's encryption: opaque to clients and, when altered, recognised as altered. */
export function sealed(text: string): string {
  const encoded = Buffer.from(text).toString('base64url');
  return `${encoded}.${sealOf(encoded)}`;
}

/** True if {@link sealed} made this value. */
export function isSealed(value: string): boolean {
  const [encoded, seal] = value.split('.');
  return encoded !== undefined && seal === sealOf(encoded);
}
