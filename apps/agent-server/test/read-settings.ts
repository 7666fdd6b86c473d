import type { Configuration } from '../src/configuration/effective-configuration.ts';
import { readConfiguration, type Sources } from '../src/configuration/read-configuration.ts';

/** Reads the configuration from variables and options. */
export function read(
  environment: Sources['environment'] = {},
  options: Sources['options'] = {},
): Promise<Configuration> {
  return readConfiguration({ options, environment });
}
