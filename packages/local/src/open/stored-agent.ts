import { isDeepStrictEqual } from 'node:util';

import type { Agent, Cipher, Json, JsonObject } from '@conv/core';

/** A token of the wire's cipher within a text, such as an address. */
const TOKEN = /gAAAAA[\w-]{20,}={0,2}/g;

/**
 * True if the stored description is this agent's. Compares decrypted values, because ciphertexts of the same key differ each
 * time. So opening a conversation with the agent that it has changes nothing.
 */
export function isStoredAgent(stored: JsonObject, agent: Agent, cipher: Cipher | undefined): boolean {
  if (!cipher) return false;
  return isDeepStrictEqual(
    decrypted(stored, cipher),
    decrypted(agent.describe({ secrets: 'encrypted', cipher }), cipher),
  );
}

function decrypted(value: Json, cipher: Cipher): Json {
  if (typeof value === 'string')
    return cipher.decrypt(value) ?? value.replaceAll(TOKEN, (token) => cipher.decrypt(token) ?? token);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => decrypted(item, cipher));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decrypted(member as Json, cipher)]));
}
