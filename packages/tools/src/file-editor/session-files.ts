import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { Platform } from '@conv/core/platform';
import { type Confinement, type Executor, type Sandbox, ToolError, type ToolSession } from '@conv/core/tool';

import { checkElsewhere } from '../check-sandbox.ts';
import { ExecutedFiles } from './executed-files.ts';
import type { Files } from './files.ts';
import { PlacedFiles } from './placed-files.ts';
import { machinePlaces } from './places.ts';
import { SandboxPlaces } from './sandbox-places.ts';

/** The files that a tool reaches in one conversation. */
export interface SessionFiles {
  readonly files: Files;
  /** Returns the name of a file that is the same for all its paths, as far as they are known. */
  readonly resource: (path: string) => string;
  /** The rules of the sandbox, for the description of the tool; `undefined` without one. */
  readonly rules: string | undefined;
  /** Ends what the tool holds; `undefined` if it holds nothing. */
  readonly close: (() => Promise<void>) | undefined;
}

const RULES = 'This tool views and changes the files that commands in the sandbox reach, at the same paths.';

/** Opens the files of a conversation: of this machine, of a sandbox, or of an executor. Rejects `ToolError` `UNSUPPORTED`. */
export async function openSessionFiles(
  tool: string,
  session: ToolSession,
  { sandbox, platform }: { readonly sandbox: Sandbox | undefined; readonly platform: Platform },
): Promise<SessionFiles> {
  const { executor } = session;
  checkElsewhere(tool, sandbox, executor);
  if (executor)
    return {
      files: new ExecutedFiles(session, executor),
      // the files are on another machine, so their links cannot be read at once
      resource: (path) => path,
      rules: undefined,
      // a conversation without a terminal ends there with its file editor
      close: () => endExecutor(executor, session),
    };
  const confinement = sandbox && (await confinementOf(tool, sandbox, session));
  const places = confinement ? new SandboxPlaces(confinement) : machinePlaces;
  return {
    files: new PlacedFiles(places, platform),
    resource: (path) => resourceOf(path, confinement),
    rules: confinement && `${RULES} ${confinement.rules}`,
    close: confinement && (async () => confinement.close()),
  };
}

async function endExecutor(executor: Executor, { conversationId }: ToolSession): Promise<void> {
  await executor.end(conversationId);
}

async function confinementOf(tool: string, sandbox: Sandbox, session: ToolSession): Promise<Confinement> {
  if (process.platform !== 'linux' && process.platform !== 'darwin')
    throw new ToolError(
      'UNSUPPORTED',
      `The ${tool} keeps to a sandbox on Linux and macOS alone, and this is ${process.platform}: leave it out, or use a container.`,
    );
  return sandbox.open(session);
}

function resourceOf(path: string, confinement: Confinement | undefined): string {
  if (!confinement) return realPathOf(path);
  try {
    return confinement.place(path, 'read');
  } catch {
    // the call is refused
    return path;
  }
}

/** Returns the real path of a file, as far as it exists, because two names of one file are one resource. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}
