import { isAbsolute } from 'node:path';

import { checkOptionNames, describeValue, type OptionNames } from '@conv/core';
import { SANDBOX_MODES, type SandboxMode } from '@conv/sandbox';

import type { KeySource } from './server-key.ts';
import { StudioError } from './place.ts';

/** Options of `startStudio`. */
export interface StudioOptions {
  /** `fs:DIR`, `sqlite:FILE`, `postgres://…`, `s3:…` or `http://server`. Default: this user's own store. */
  readonly place?: string | undefined;
  /** The port on this machine; 0 for any free port. Default 4780. */
  readonly port?: number | undefined;
  /** Where the key of a server is read from. Default: the variable `OH_SESSION_API_KEY`, if it is set. */
  readonly serverKey?: KeySource;
  /** A key that programs show to studio. Default: a random key that nothing outside knows, so that browsers alone have sessions. */
  readonly sessionKey?: string;
  /** The reason why studio accepts no commands. Only for a store. Default: it accepts commands if the environment has a model. */
  readonly readOnly?: string | undefined;
  /** The way in which agents over a store are confined, which run here. Default `auto`. */
  readonly sandbox?: SandboxMode | undefined;
  /** Absolute paths that agents in the sandbox read as well. Default: none. */
  readonly sandboxRead?: readonly string[] | undefined;
  /** The only hosts that agents in the sandbox reach. Default: the network that `sandbox` names. */
  readonly sandboxHosts?: readonly string[] | undefined;
  /** Variables such as `LLM_MODEL` and `XDG_DATA_HOME`. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder of the built page. Default: the page of this package. */
  readonly folder?: string;
  /** Receives errors for which no request waits. Default: a process warning. */
  readonly report?: (error: unknown, about: object) => void;
}

const STUDIO: OptionNames<StudioOptions> = {
  place: true,
  port: true,
  serverKey: true,
  sessionKey: true,
  readOnly: true,
  sandbox: true,
  sandboxRead: true,
  sandboxHosts: true,
  environment: true,
  folder: true,
  report: true,
};

const SERVER_KEY: OptionNames<KeySource> = { variable: true, file: true };

/**
 * Checks the options of studio before it listens: under a misspelt `readOnly` it would take commands. Throws {@link StudioError} that
 * names the member and its valid values.
 */
export function checkStudioOptions(options: StudioOptions): void {
  const toError = (message: string): StudioError => new StudioError(message);
  checkOptionNames('startStudio', options, STUDIO, toError);
  const { serverKey, sessionKey, readOnly, sandbox, sandboxRead, sandboxHosts, port } = options;
  if (serverKey !== undefined) checkOptionNames('startStudio: serverKey', serverKey, SERVER_KEY, toError);
  if (sessionKey !== undefined && (typeof sessionKey !== 'string' || sessionKey === ''))
    throw wrong('sessionKey', 'a key as a text', sessionKey);
  if (readOnly !== undefined && (typeof readOnly !== 'string' || readOnly === ''))
    throw wrong('readOnly', 'the reason as a text', readOnly);
  if (sandbox !== undefined && !SANDBOX_MODES.includes(sandbox))
    throw wrong('sandbox', `one of ${SANDBOX_MODES.join(', ')}`, sandbox);
  if (sandboxRead !== undefined && !(Array.isArray(sandboxRead) && sandboxRead.every((path) => isAbsolute(path))))
    throw wrong('sandboxRead', 'a list of absolute paths', sandboxRead);
  if (sandboxRead !== undefined && sandbox === 'off')
    throw wrong('sandboxRead', "a sandbox mode other than 'off' beside it", sandbox);
  if (sandboxHosts !== undefined && !(Array.isArray(sandboxHosts) && sandboxHosts.length > 0))
    throw wrong('sandboxHosts', 'a list of hosts', sandboxHosts);
  if (sandboxHosts !== undefined && sandbox === 'off')
    throw wrong('sandboxHosts', "a sandbox mode other than 'off' beside it", sandbox);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw wrong('port', 'a whole number from 0 to 65535', port);
}

function wrong(name: string, expected: string, found: unknown): StudioError {
  return new StudioError(`startStudio: ${name}: expected ${expected}, found ${describeValue(found)}`);
}
