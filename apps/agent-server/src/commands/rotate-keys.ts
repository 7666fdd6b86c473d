import process from 'node:process';

import { fernetCipher } from '@conv/secrets';
import { loginRecords, receiverRecords, renewSecrets, SettingsStore, trialRecords } from '@conv/server/records';
import { openStore } from '@conv/stores';
import { plainText } from '@conv/visualize/text';

import type { Configuration } from '../configuration/effective-configuration.ts';
import type { Sources } from '../configuration/read-configuration.ts';
import { messageOf } from '../error-description.ts';
import { openSettings } from '../open-kept.ts';
import { olderKeys } from '../own-keys.ts';
import { secretKeyFile, withNewSecretKey } from '../secret-key.ts';
import { configurationOf } from './settings.ts';

/** The newest secret key and the earlier ones, and the place where they can be dropped. */
interface Rotation {
  readonly secretKey: string;
  readonly older: readonly string[];
  readonly place: string;
}

/** Encrypts every secret of a store with the newest secret key. Sets the exit code 1 if some are left, and 2 without an earlier key. */
export async function rotateKeys(options: Sources['options']): Promise<void> {
  const configuration = await configurationOf(options);
  if (!configuration) return;
  try {
    await rotate(configuration, await rotationOf(configuration));
  } catch (error) {
    process.stderr.write(`${plainText(messageOf(error))}\n`);
    process.exitCode = error instanceof TypeError ? 2 : 1;
  }
}

async function rotationOf(configuration: Configuration): Promise<Rotation> {
  const { secretKey, oldSecretKeys, settingsFolder } = configuration;
  if (secretKey === undefined) {
    const file = secretKeyFile(settingsFolder);
    const kept = await withNewSecretKey(settingsFolder);
    if (!kept)
      throw new TypeError(
        `expected the secret key of a server, found no ${file}; start the server once, or give its key`,
      );
    const place = oldSecretKeys.length === 0 ? file : `${file} and the settings`;
    return { secretKey: kept.secretKey, older: olderKeys(configuration, kept), place };
  }
  if (oldSecretKeys.length === 0)
    throw new TypeError(
      'expected a new and an earlier secret key, found one; put the new key in the first line of the file of secret keys and the earlier one behind it, or set CONV_OLD_SECRET_KEYS',
    );
  return { secretKey, older: olderKeys(configuration, { older: [] }), place: 'the settings' };
}

async function rotate(configuration: Configuration, { secretKey, older, place }: Rotation): Promise<void> {
  process.stdout.write(
    'Stop servers of this store first, or restart them with the newest key right after: a running server has the key of its start alone.\n',
  );
  const cipher = fernetCipher(secretKey, older);
  const opened = await openStore(configuration.store, { leaseTimeout: configuration.takeoverSeconds * 1000 });
  try {
    const settings = await openSettings(configuration);
    try {
      let left = 0;
      const { renewed, current } = await renewSecrets({
        store: opened.store,
        settingsStore: new SettingsStore(settings.kept, cipher),
        logins: loginRecords(settings.registry, cipher),
        trials: trialRecords(settings.registry, cipher),
        receivers: receiverRecords(settings.registry, cipher),
        cipher,
        encrypted: (id) => process.stdout.write(`Encrypted ${id}\n`),
        left: (error, id) => {
          left++;
          process.stderr.write(
            `${plainText(`${id ?? 'settings, logins, trials and receivers'}: ${messageOf(error)}`)}\n`,
          );
        },
      });
      const count = `${renewed} of ${renewed + current} conversations had a secret of an earlier key.`;
      process.stdout.write(`${count}\n${left === 0 ? done(place) : leftOver(left)}\n`);
      if (left > 0) process.exitCode = 1;
    } finally {
      await settings.close();
    }
  } finally {
    await opened.close();
  }
}

function done(place: string): string {
  return `The earlier keys are needed no more. Restart servers that were started without the newest key, run this again, and then take the earlier keys out of ${place}.`;
}

function leftOver(count: number): string {
  return `${count} could not be encrypted anew. Keep the earlier keys, and run this again when that is mended.`;
}
