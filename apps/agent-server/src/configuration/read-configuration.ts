import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { checkOptionNames, errorText } from '@conv/core';

import { checkPlaces } from './check-places.ts';
import { ConfigurationError, SETTINGS, toConfiguration } from './configuration.ts';
import type { Configuration, Given } from './effective-configuration.ts';
import { checkVariables, type Environment, fromEnvironment, variableOf } from './environment.ts';
import { filesIn, type GivenWithFiles, KEY_FILES, refuseOpenPlace, withKeyFiles } from './key-files.ts';

/** Sources of the settings. */
export interface Sources {
  /** Settings of the command line, which win. */
  readonly options: GivenWithFiles & { readonly config?: string };
  readonly environment: Environment;
}

/**
 * Resolves with the configuration: the command line overrides the environment, which overrides the JSON file. Rejects {@link
 * ConfigurationError} that names the setting as its source does.
 */
export async function readConfiguration({ options: all, environment }: Sources): Promise<Configuration> {
  const { config: named, ...options } = all;
  const { oidc } = options;
  // on the command line it is the path of a file
  const given = typeof oidc === 'string' ? { ...options, oidc: await loginIn(oidc) } : options;
  const file = named ?? environment['CONV_CONFIG'];
  checkVariables(environment);
  const said = fromEnvironment(environment);
  const written = file === undefined || file === '' ? {} : await readFileOf(file);
  const nameOf = (setting: string): string => {
    if (setting in given && given[setting as keyof GivenWithFiles] !== undefined)
      return setting === 'studioFolder'
        ? '--studio'
        : `--${setting.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return setting in said ? variableOf(setting) : `${setting} in ${file ?? 'the configuration'}`;
  };
  const sources: readonly GivenWithFiles[] = [given, said, written];
  const files = [file ?? '', typeof oidc === 'string' ? oidc : ''].filter((path) => path !== '');
  const ownFiles = [...files, ...sources.flatMap(filesIn)].map((path) => resolve(path));
  // read once, because a file that was handed over is closed then
  const layers = sources.map(withKeyFiles);
  const complete = (more: Given): Configuration => {
    const named = (setting: string): string =>
      more[setting as keyof Given] === undefined ? nameOf(setting) : `${setting} of the request`;
    const configuration = toConfiguration([more, ...layers], named, ownFiles);
    checkPlaces(configuration, named);
    return configuration;
  };
  const configuration = complete({});
  return configuration.deferredInit
    ? { ...configuration, complete: (more) => complete({ ...more, deferredInit: false }) }
    : configuration;
}

const NAMES: Readonly<Record<string, true>> = Object.fromEntries(
  [...SETTINGS, ...KEY_FILES].map((name) => [name, true]),
);

async function readFileOf(file: string): Promise<GivenWithFiles> {
  refuseOpenPlace(file, 'the configuration');
  const content = await valueIn(file, 'the configuration', '--config and CONV_CONFIG take');
  checkOptionNames(`the configuration ${file}`, content, NAMES, (message) => new ConfigurationError(message));
  return content as GivenWithFiles;
}

/** Resolves with the login in a file. A user who can change it can name the issuer whose tokens open the server. */
function loginIn(file: string): Promise<unknown> {
  refuseOpenPlace(file, '--oidc');
  return valueIn(file, 'the login', '--oidc takes');
}

/** Resolves with the value in a JSON file. `what`: its content; `takes`: the options that take its path, with the verb. */
async function valueIn(file: string, what: string, takes: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const reason = `${what} ${file} cannot be read (${codeOf(cause)})`;
    throw new ConfigurationError(`${reason}; ${takes} the path of a JSON file`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError(`${what} ${file} is not JSON: ${errorText(cause)}; correct it`, { cause });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
