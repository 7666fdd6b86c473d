import process from 'node:process';

import type { SecretUpdate } from '@conv/core';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';

/**
 * Returns the secrets that a person names on the command line. Their values come from variables of the same name, which are
 * removed from the environment, so that no child process inherits them. Throws {@link CommandError} for a variable that is not
 * set.
 */
export function takeSecrets(names: readonly string[] = []): { readonly secrets?: SecretUpdate } {
  const secrets = Object.fromEntries(names.map((name) => [name, valueOf(name)]));
  for (const name of names) delete process.env[name];
  return names.length === 0 ? {} : { secrets };
}

function valueOf(name: string): string {
  const value = process.env[name] ?? '';
  if (value !== '') return value;
  throw new CommandError(exitCodes.usage, `the secret ${name} has no value: set the variable ${name}`);
}
