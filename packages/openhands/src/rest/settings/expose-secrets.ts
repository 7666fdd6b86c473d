/** The header with which a client asks for secrets in an answer about settings or profiles. */
export const EXPOSE_SECRETS_HEADER = 'X-Expose-Secrets';

/** Form of secrets in an answer: `**********`, ciphertext of the server's key, or plain text. */
export type SecretExposure = 'redacted' | 'encrypted' | 'plaintext';

/** Reads the form that the header asks for; `undefined` for an unknown one, which is answered with 400. */
export function secretExposure(header: string | undefined): SecretExposure | undefined {
  const asked = (header ?? '').trim().toLowerCase();
  if (asked === '') return 'redacted';
  if (asked === 'true') return 'plaintext';
  return asked === 'encrypted' || asked === 'plaintext' ? asked : undefined;
}
