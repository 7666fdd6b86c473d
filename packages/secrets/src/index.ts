/**
 * Secrets of a conversation: a vault, one-pass masking in every encoding, ciphers.
 *
 * @packageDocumentation
 */
export {};
