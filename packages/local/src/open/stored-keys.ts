import type { Cipher, JsonObject } from '@conv/core';

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
