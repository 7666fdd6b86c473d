import { checkOptionNames, type Cipher, type OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { ConversationStore } from '@conv/core/store';
import { renewStoredSecrets } from '@conv/local';
import { listPages } from '@conv/store-kit';
import type { EncryptedRecords } from '@conv/store-kit/registry';

import { checkGivenStore } from '../conversations/check-store.ts';
import { hasForeignToken } from '../http/secret-texts.ts';
import type { SettingsStore } from './settings-store.ts';

/** Options of {@link renewSecrets}. */
export interface RenewSecretsOptions {
  readonly store: ConversationStore;
  readonly settingsStore: SettingsStore;
  /** Logins at MCP servers, of `loginRecords`. Default: there are none. */
  readonly logins?: Pick<EncryptedRecords, 'renew'>;
  /** Trials of MCP servers that wait for a login, of `trialRecords`. Default: there are none. */
  readonly trials?: Pick<EncryptedRecords, 'renew'>;
  /** Receivers that clients of protocols named, of `receiverRecords`. Default: there are none. */
  readonly receivers?: Pick<EncryptedRecords, 'renew'>;
  /** With the newest key, and with the older keys. */
  readonly cipher: Cipher;
  /** Receives each conversation whose secrets are encrypted with the newest key from now on. */
  readonly encrypted?: (id: string) => void;
  /** Receives the error of each conversation, file and record that stays encrypted with an older key, or has a secret that no key opens. */
  readonly left: (error: unknown, id: string | undefined) => void;
  /** Clock and ids. Default: those of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<RenewSecretsOptions> = {
  store: true,
  settingsStore: true,
  logins: true,
  trials: true,
  receivers: true,
  cipher: true,
  encrypted: true,
  left: true,
  platform: true,
};

const FOREIGN =
  'expected secrets of the given keys, found one that none of them opens; give the key that encrypted it as an older key';

/** Numbers of conversations. */
export interface RenewedSecrets {
  readonly renewed: number;
  /** With the newest key alone, or without secrets. */
  readonly current: number;
}

/**
 * Encrypts every secret that clients stored with the newest key: settings, logins, trials and receivers first, then each conversation in a
 * commit of its own. Finished work stays, so a second call continues after a process that was killed. Older keys are needed until a call leaves nothing. Stop servers
 * first, or restart them with the newest key right after: they encrypt with the key of their start.
 */
export async function renewSecrets(options: RenewSecretsOptions): Promise<RenewedSecrets> {
  checkOptionNames('renewSecrets', options, NAMES);
  const { store, settingsStore, logins, trials, receivers, cipher, platform, encrypted, left } = options;
  checkGivenStore('renewSecrets', store);
  await settingsStore.renew((error) => left(error, undefined));
  for (const records of [logins, trials, receivers]) await records?.renew((error) => left(error, undefined));
  let [renewed, current] = [0, 0];
  // ascending: conversations that begin meanwhile come last, and are seen
  for await (const items of listPages(store, { sortBy: 'createdAt', order: 'ascending' }))
    for (const { id } of items) {
      try {
        const watched = watching(cipher);
        if (await renewStoredSecrets(id, { store, cipher: watched, platform })) {
          renewed++;
          encrypted?.(id);
        } else if (!watched.isForeign) current++;
        if (watched.isForeign) throw new TypeError(FOREIGN);
      } catch (error) {
        left(error, id);
      }
    }
  return { renewed, current };
}

/** Returns the cipher, which finds out if a text that it was to renew has a token that no key opens. */
function watching(cipher: Cipher): Cipher & { readonly isForeign: boolean } {
  let isForeign = false;
  return {
    encrypt: (plain) => cipher.encrypt(plain),
    decrypt: (token) => cipher.decrypt(token),
    renew: (text) => {
      isForeign ||= hasForeignToken(text, cipher);
      return cipher.renew?.(text) ?? text;
    },
    get isForeign() {
      return isForeign;
    },
  };
}
