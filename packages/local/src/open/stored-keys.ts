import type { Cipher, JsonObject } from '@conv/core';

/** Members by such names hold keys. Much else is encrypted as well, and masking ordinary words would destroy texts. */
const KEY_NAME = /key|token|secret|passw/i;

/**
 * The keys that stand encrypted in the description of an agent, in plain text, for when an agent that is given on resume does not
 * hold them. None without the cipher that they were encrypted with.
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
