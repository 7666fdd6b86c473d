import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { type Configuration, ConfigurationError, toConfiguration } from './configuration.ts';
import { type Environment, fromEnvironment, variableOf } from './environment.ts';
import { filesIn, type GivenWithFiles, withKeyFiles } from './key-files.ts';

/** Where the settings come from. */
export interface Sources {
  /** What the command line says. It wins. */
  readonly options: GivenWithFiles & { readonly config?: string };
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
    if (setting in given && given[setting as keyof GivenWithFiles] !== undefined)
      return `--${setting.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return setting in said ? variableOf(setting) : `${setting} in ${file ?? 'the configuration'}`;
  };
  const sources: readonly GivenWithFiles[] = [given, said, written];
  const ownFiles = [...(file ? [file] : []), ...sources.flatMap(filesIn)].map((path) => resolve(path));
  return toConfiguration(sources.map(withKeyFiles), nameOf, ownFiles);
}

async function readFileOf(file: string): Promise<GivenWithFiles> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new ConfigurationError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content as GivenWithFiles;
  throw new ConfigurationError(`${file}: a configuration is a JSON object`);
}
