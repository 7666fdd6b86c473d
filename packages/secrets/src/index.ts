/**
 * Secrets of a conversation: a vault, one-pass masking in every encoding, ciphers.
 *
 * @packageDocumentation
 */
export { aesGcmCipher } from './aes-gcm-cipher.ts';
export { fernetCipher } from './fernet-cipher.ts';
export { createMasker } from './masker.ts';
export { createSecretVault, type SecretVaultOptions } from './secret-vault.ts';
