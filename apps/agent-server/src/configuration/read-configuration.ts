import { readFile } from 'node:fs/promises';

import { type Configuration, ConfigurationError, type Given, toConfiguration } from './configuration.ts';
import { type Environment, fromEnvironment, variableOf } from './environment.ts';

/** Where the settings come from. */
export interface Sources {
  /** What the command line says. It wins. */
  readonly options: Given & { readonly config?: string };
  readonly environment: Environment;
}

/**
 * The configuration: what the command line says, else the environment, else the file, which is JSON. Rejects {@link ConfigurationError}
 * that names the setting, as it is called where it was set.
 */
export async function readConfiguration({ options, environment }: Sources): Promise<Configuration> {
  const { config: named, ...given } = options;
  const file = named ?? environment['CONV_CONFIG'];
  const said = fromEnvironment(environment);
  const written = file === undefined || file === '' ? {} : await readFileOf(file);
  const nameOf = (setting: string): string => {
    if (setting in given && given[setting as keyof Given] !== undefined)
      return `--${setting.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return setting in said ? variableOf(setting) : `${setting} in ${file ?? 'the configuration'}`;
  };
  return toConfiguration([given, said, written], nameOf);
}

async function readFileOf(file: string): Promise<Given> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new ConfigurationError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content as Given;
  throw new ConfigurationError(`${file}: a configuration is a JSON object`);
}
