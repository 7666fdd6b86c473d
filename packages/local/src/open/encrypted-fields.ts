import { isDeepStrictEqual } from 'node:util';
import { type Agent, type Cipher, type Json, type JsonObject, maskJson, type StateFields } from '@conv/core';

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

/** Names of members that hold keys. Other members are encrypted as well, but masking ordinary words would destroy texts. */
const KEY_NAME = /key|token|secret|passw/i;

/**
 * Returns the encrypted keys of an agent's description in plain text, because an agent that is given on resume may not hold them.
 * Returns none without the cipher that encrypted them.
 */
export function keysIn(description: JsonObject, cipher: Cipher | undefined): readonly string[] {
  if (!cipher) return [];
  const found = new Set<string>();
  const look = (value: unknown, name: string): void => {
    if (typeof value === 'string') {
      const plain = KEY_NAME.test(name) ? cipher.decrypt(value) : undefined;
      if (plain !== undefined) found.add(plain);
    } else if (typeof value === 'object' && value !== null)
      for (const [member, inner] of Object.entries(value)) look(inner, member);
  };
  look(description, '');
  return [...found];
}

export type EncryptedFields = Pick<StateFields, 'agent' | 'secretRegistry' | 'hiddenValues'>;

/**
 * Returns the fields with every ciphertext of an older key encrypted with the newest key. An unchanged field is the same object.
 */
export function renewedFields(fields: EncryptedFields, cipher: Cipher | undefined): EncryptedFields {
  const renew = (text: string): string => cipher?.renew?.(text) ?? text;
  return {
    agent: maskJson(fields.agent, renew),
    secretRegistry: maskJson(fields.secretRegistry, renew),
    hiddenValues: maskJson(fields.hiddenValues, renew),
  };
}

/** Returns the fields that differ from the stored ones. */
export function changedFields(fields: EncryptedFields, stored: EncryptedFields): Partial<EncryptedFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== stored[name as keyof EncryptedFields]),
  );
}
