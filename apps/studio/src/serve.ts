import { resolve } from 'node:path';
import process from 'node:process';

import type { SandboxMode } from '@conv/sandbox';
import { defaultStoreAddress, missingStore, parseStoreAddress, StoreAddressError } from '@conv/stores';

import { StudioError } from './server/place.ts';
import { type RunningStudio, startStudio } from './server/start-studio.ts';

/** Options of the command line. */
export interface ServeOptions {
  readonly port?: number;
  readonly open?: boolean;
  readonly readOnly?: boolean;
  readonly sandbox?: SandboxMode;
  readonly sandboxRead?: readonly string[];
  readonly sandboxHost?: readonly string[];
  readonly serverKey?: string;
  readonly serverKeyFile?: string;
  /** True if the store may begin later. */
  readonly mayBegin?: boolean;
}

/** Starts studio until a signal ends it, and prints the start link. Sets the exit code for a mistake of the person who starts it. */
export async function serve(place: string | undefined, options: ServeOptions): Promise<void> {
  let studio: RunningStudio;
  try {
    if (options.mayBegin !== true) checkPlaceThere(place);
    studio = await startStudio({
      place,
      port: options.port,
      sandbox: options.sandbox,
      sandboxRead: options.sandboxRead?.map((path) => resolve(path)),
      sandboxHosts: options.sandboxHost,
      serverKey: { variable: options.serverKey, file: options.serverKeyFile },
      ...(options.readOnly ? { readOnly: 'Read-only, because studio was started with --read-only.' } : {}),
      report: (error, about) => say(`${errorText(error)} ${JSON.stringify(about)}`),
    });
  } catch (error) {
    if (!(error instanceof StudioError || error instanceof StoreAddressError)) throw error;
    say(error.message);
    process.exitCode = 2;
    return;
  }
  endAtSignals(studio);
  const link = studio.startLink();
  if (studio.notice !== undefined) say(studio.notice);
  process.stdout.write(`studio shows ${studio.place}\nOpen ${link}\nThe link works once, within ten minutes.\n`);
  if (options.open !== false && process.stdout.isTTY) await openBrowser(link);
}

/** Throws {@link StudioError} for a store that was named and is not there. The user's own store may begin later. */
function checkPlaceThere(place: string | undefined): void {
  if (place === undefined || /^https?:/i.test(place) || place === defaultStoreAddress()) return;
  const missing = missingStore(parseStoreAddress(place));
  if (missing !== undefined) throw new StudioError(missing);
}

/** Opens the browser. A machine without a browser is no error: the link is printed. */
async function openBrowser(link: string): Promise<void> {
  const { default: open } = await import('open');
  const child = await open(link).catch(() => undefined);
  child?.once('error', () => {});
}

/** The first signal ends everything in order, a second one at once. */
function endAtSignals(studio: RunningStudio): void {
  let ending = false;
  const end = (): void => {
    if (ending) process.exit(130);
    ending = true;
    studio.close().catch((error: unknown) => {
      say(errorText(error));
      process.exitCode = 1;
    });
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}

function say(text: string): void {
  process.stderr.write(`studio: ${text}\n`);
}
