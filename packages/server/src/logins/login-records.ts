import type { Cipher } from '@conv/core';
import { encryptedRecords, type EncryptedRecords, type Registry } from '@conv/store-kit/registry';

/** The kinds of these records in a registry. */
const LOGINS = 'mcp-logins';
const TRIALS = 'mcp-trials';

/**
 * Returns the logins at MCP servers in the registry of a store, encrypted as a whole: `records` of `McpAuthorization` in `@conv/tools`. All servers of
 * a fleet share them. Throws `TypeError` if `registry` is no registry.
 *
 * @param unreadable - Called with the key of each login that is read and that no key opens, and that the person must make again. Default:
 * nothing is called.
 */
export function loginRecords(registry: Registry, cipher: Cipher, unreadable?: (key: string) => void): EncryptedRecords {
  return encryptedRecords(registry, LOGINS, cipher, unreadable);
}

/**
 * Returns the trials of MCP servers that wait for a login, encrypted as a whole: `jobs` of `McpTrialsOptions`. They last minutes. Throws as {@link loginRecords}.
 */
export function trialRecords(registry: Registry, cipher: Cipher): EncryptedRecords {
  return encryptedRecords(registry, TRIALS, cipher);
}
