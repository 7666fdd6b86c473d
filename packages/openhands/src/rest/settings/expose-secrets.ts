/** The header with which a client asks for secrets in an answer about settings or profiles. */
export const EXPOSE_SECRETS_HEADER = 'X-Expose-Secrets';

/** How an answer has secrets: as `**********`, as ciphertext of the server's key, or as they are. */
export type SecretExposure = 'redacted' | 'encrypted' | 'plaintext';

/** What the header asks for; `undefined`: something that is not known, to be answered with 400. */
export function secretExposure(header: string | undefined): SecretExposure | undefined {
  const asked = (header ?? '').trim().toLowerCase();
  if (asked === '') return 'redacted';
  if (asked === 'true') return 'plaintext';
  return asked === 'encrypted' || asked === 'plaintext' ? asked : undefined;
}
