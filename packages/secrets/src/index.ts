/**
 * The secrets of a conversation: a vault that gives values to the processes that name them, one-pass masking of every value in every
 * common encoding, and ciphers for what is stored.
 *
 * @packageDocumentation
 */
export { aesGcmCipher } from './ciphers/aes-gcm-cipher.ts';
export { fernetCipher, type FernetCipherOptions } from './ciphers/fernet-cipher.ts';
export { createMasker } from './masking/masker.ts';
export { createSecretVault, type SecretVaultOptions } from './vault/secret-vault.ts';
