import process from 'node:process';

import { plainText } from '@conv/visualize/text';

import { ConfigurationError } from '../configuration/configuration.ts';
import type { Configuration } from '../configuration/effective-configuration.ts';
import { readConfiguration, type Sources } from '../configuration/read-configuration.ts';

/** Resolves with the settings; with `undefined` for wrong settings, after naming them on standard error. */
export async function configurationOf(options: Sources['options']): Promise<Configuration | undefined> {
  try {
    return await readConfiguration({ options, environment: process.env });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${plainText(error.message)}\n`);
    process.exitCode = 2;
    return undefined;
  }
}
