import type { Cipher } from '@conv/core';
import type { Platform } from '@conv/core/platform';

/** Dependencies of the files that clients' settings are stored in. */
export interface SettingsFilesDeps {
  /** The folder of the files. */
  readonly directory: string;
  /** Encrypts keys and values. */
  readonly cipher: Cipher | undefined;
  readonly platform: Pick<Platform, 'id'>;
}
