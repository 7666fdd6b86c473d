import { maskJson, type Cipher, type StateFields } from '@conv/core';

/** The fields that hold ciphertext. */
export type EncryptedFields = Pick<StateFields, 'agent' | 'secretRegistry' | 'hiddenValues'>;

/**
 * Returns the fields with everything encrypted anew that only an older key reads. A field is the same object when nothing in it
 * changed.
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
