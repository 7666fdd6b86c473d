import { hostname } from 'node:os';
import { checkOptionNames, type Cipher, ConversationState, type OptionNames, projections } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';

import { changedFields, type EncryptedFields, renewedFields } from './encrypted-fields.ts';

/** Options of {@link renewStoredSecrets}. */
export interface RenewStoredSecretsOptions {
  readonly store: ConversationStore;
  /** With the newest key, and with the older keys. */
  readonly cipher: Cipher;
  /** Clock and ids. Default: those of the host. */
  readonly platform?: Platform | undefined;
}

const NAMES: OptionNames<RenewStoredSecretsOptions> = { store: true, cipher: true, platform: true };

/**
 * Encrypts the secrets of a stored conversation with the newest key of a cipher, in one commit. Nothing else changes: no agent is built, and
 * an interrupted run stays as it is. Resolves with false if no older key was used, without taking the conversation from its owner. Rejects
 * `StoreError`, such as `OWNED` while another process has the conversation; that process encrypts anew when it opens the conversation next.
 */
export async function renewStoredSecrets(id: string, options: RenewStoredSecretsOptions): Promise<boolean> {
  checkOptionNames('renewStoredSecrets', options, NAMES);
  const { store, cipher, platform } = options;
  if (!(await isOlder(id, options))) return false;
  const journal = await store.open(id, {
    create: 'never',
    owner: `new secret key, pid ${process.pid} on ${hostname()}`,
  });
  try {
    const state = await ConversationState.open(journal, { id }, { platform });
    try {
      const set = renewedIn(state.fields, cipher);
      // another process may have been first
      if (Object.keys(set).length > 0) await state.update({ set });
      return true;
    } finally {
      await state.close();
    }
  } finally {
    await journal.close();
  }
}

/** True if a conversation has a ciphertext of an older key. */
async function isOlder(id: string, { store, cipher }: RenewStoredSecretsOptions): Promise<boolean> {
  const reader = await store.read(id);
  if (!reader) return false;
  try {
    if (reader.end.seq === 0) return false;
    const { fields } = await projections.readState(reader);
    return Object.keys(renewedIn(fields, cipher)).length > 0;
  } finally {
    await reader.close();
  }
}

function renewedIn(fields: EncryptedFields, cipher: Cipher): Partial<EncryptedFields> {
  return changedFields(renewedFields(fields, cipher), fields);
}
