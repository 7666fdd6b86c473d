import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

import { systemPlatform, timers } from '@conv/core/platform';
import type { ToolProvider } from '@conv/core/tool';
import type { EncryptedRecords } from '@conv/store-kit/registry';
import { type FinishedMcpLogin, finishMcpLogin, isMcpError, type McpAuthorization, type McpError } from '@conv/tools';
import { plainLine } from '@conv/visualize/text';

import { secretKey } from '../conversation/secret-key-variable.ts';
import { note } from '../terminal/output.ts';
import { loginKey } from './login-key.ts';
import { LoginListener } from './login-listener.ts';
import { loginsFolder } from './logins-folder.ts';
import { hasBrowser, openAddress } from './open-address.ts';

/** The kind of these records in the registry of the folder. */
const KIND = 'mcp-logins';
/** Milliseconds after which a login is begun again: as long as it lasts. */
const LIFETIME = 15 * 60_000;

/** Options of {@link LoginsHere}. */
export interface LoginsOptions {
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** False to fail with the address in place of waiting for the person, such as for an editor, which shows errors. Default `true`. */
  readonly waits?: boolean;
}

/**
 * The logins of this user at MCP servers. They are records of a folder that only the user reads, encrypted with `OH_SECRET_KEY`, else with a key in
 * the folder. A browser comes back to a port of this machine.
 */
export class LoginsHere implements AsyncDisposable {
  /** The option `auth` of MCP servers. Nothing is made or read before it is used. */
  readonly auth: McpAuthorization;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #waits: boolean;
  readonly #ends = new Map<string, (end: FinishedMcpLogin) => void>();
  readonly #told = new Set<string>();
  #tell: (line: string) => void = note;
  #opened: Promise<EncryptedRecords> | undefined;
  #listening: Promise<LoginListener> | undefined;

  constructor({ folder, environment = process.env, waits = true }: LoginsOptions = {}) {
    this.#environment = environment;
    this.#folder = folder ?? loginsFolder(environment);
    this.#waits = waits;
    this.auth = {
      records: {
        get: async (key) => (await this.#records()).get(key),
        replace: async (...change) => (await this.#records()).replace(...change),
      },
      redirectUrl: async () => (await this.#listener()).url,
      hosts: hostsIn(environment['CONV_MCP_HOSTS']),
    };
  }

  /** Sends lines for the person to `tell` from now on, in place of standard error. Returns the end of that. */
  showBy(tell: (line: string) => void): () => void {
    this.#tell = tell;
    return () => {
      if (this.#tell === tell) this.#tell = note;
    };
  }

  /** Returns the provider, whose tools come when the person has logged in where that is needed. */
  around(provider: ToolProvider): ToolProvider {
    if (!this.#waits) return provider;
    return {
      ...provider,
      provide: async (session, options) => {
        for (;;) {
          try {
            return await provider.provide(session, options);
          } catch (error) {
            if (!isMcpError(error, 'UNAUTHORIZED')) throw error;
            await this.#loggedIn(error, options.signal);
          }
        }
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const listener = await this.#listening?.catch(() => undefined);
    await listener?.[Symbol.asyncDispose]();
  }

  /** Shows the addresses, and waits until the first of these logins has ended, or is too old. Rejects with the error if the person said no. */
  async #loggedIn(error: McpError, signal: AbortSignal): Promise<void> {
    if (error.logins.length === 0) throw error;
    const done = new AbortController();
    const waiting = AbortSignal.any([signal, done.signal]);
    const { promise, resolve } = Promise.withResolvers<FinishedMcpLogin>();
    const states = error.logins.map(({ address }) => new URL(address).searchParams.get('state') ?? '');
    for (const state of states) this.#ends.set(state, resolve);
    for (const login of error.logins) this.#ask(login);
    try {
      const late = timers.sleep(systemPlatform, LIFETIME, { signal: waiting }).then(() => undefined);
      const end = await Promise.race([promise, late]);
      if (end === undefined) return;
      this.#tell(plainLine(end.message));
      if (!end.ok) throw error;
    } finally {
      for (const state of states) this.#ends.delete(state);
      done.abort(new Error('the login has ended'));
    }
  }

  #ask({ server, address }: McpError['logins'][number]): void {
    if (this.#told.has(address)) return;
    this.#told.add(address);
    this.#tell(`the MCP server ${plainLine(server)} needs your authorization; waiting until you have allowed it at:`);
    this.#tell(plainLine(address));
    if (hasBrowser(this.#environment)) openAddress(address);
  }

  #records(): Promise<EncryptedRecords> {
    return (this.#opened ??= this.#openRecords().catch((error: unknown) => {
      // the next login tries again
      this.#opened = undefined;
      throw error;
    }));
  }

  #listener(): Promise<LoginListener> {
    return (this.#listening ??= this.#listen().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    }));
  }

  async #openRecords(): Promise<EncryptedRecords> {
    const [{ FsRegistry }, { encryptedRecords }, { fernetCipher }] = await Promise.all([
      import('@conv/persist-fs'),
      import('@conv/store-kit/registry'),
      import('@conv/secrets'),
    ]);
    const own = await loginKey(this.#folder);
    const given = secretKey(this.#environment);
    const cipher = given === '' ? fernetCipher(own) : fernetCipher(given, [own]);
    return encryptedRecords(new FsRegistry({ directory: join(this.#folder, 'registry') }), KIND, cipher);
  }

  /** Listens at the port of the last time if it is free, so that the registration of that time is used again. */
  async #listen(): Promise<LoginListener> {
    // invariant: nothing fails once the port is taken, because the caller could not give it back
    await this.#records();
    const file = join(this.#folder, 'port');
    // without the port of the last time this client is registered once more
    const before = portIn(await readFile(file, 'utf8').catch(() => ''));
    const listener = await LoginListener.start(before, {
      finish: (callback) => finishMcpLogin(this.auth, callback),
      ended: (state, end) => this.#ends.get(state)?.(end),
    });
    if (before === 0) await writeFile(file, String(listener.port), { mode: 0o600 }).catch(() => undefined);
    return listener;
  }
}

/** Returns the port in a file; 0 for any other text, such as that of a damaged file. */
function portIn(text: string): number {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

/** Returns the hosts in a variable, with commas between them. */
function hostsIn(value = ''): readonly string[] {
  return value.split(',').flatMap((host) => (host.trim() === '' ? [] : [host.trim()]));
}
