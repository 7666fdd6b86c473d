import { errorText, type JsonObject, type NamedSecrets, type SecretVault, type SecretVaultFactory } from '@conv/core';
import { Turns, type Platform } from '@conv/core/platform';
import {
  type Confinement,
  type Sandbox,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolResult,
  type ToolSession,
} from '@conv/core/tool';

import type { Files } from '../file-editor/files.ts';
import { PlacedFiles } from '../file-editor/placed-files.ts';
import { machinePlaces } from '../file-editor/places.ts';
import { SandboxPlaces } from '../file-editor/sandbox-places.ts';
import { makeFolder } from '../file-editor/write-file.ts';
import { terminal } from '../terminal/terminal.ts';
import { executeFiles } from './execute-files.ts';
import type { FileRequest, TerminalRequest } from '../requests/executor-requests.ts';

type RequestContext = Pick<ToolContext, 'signal' | 'onOutput'>;
/** Options of the shells and files of conversations. */
export interface HandsOptions {
  readonly secrets: SecretVaultFactory;
  readonly sideDirectory?: (conversationId: string) => string;
  readonly sandbox?: Sandbox | undefined;
  readonly environment?: readonly string[];
  readonly platform: Platform;
}

/** The shell and the files of one conversation on this machine. */
export class ConversationHands {
  readonly #session: ToolSession;
  readonly #options: HandsOptions;
  readonly #vault: SecretVault;
  /** A call after an interrupted one waits here until the shell has ended that. */
  readonly #turns = new Turns();
  /** The signal of the call that the shell works on. */
  #running: AbortSignal | undefined;
  #shell: Promise<Tool> | undefined;
  #files: Promise<Files> | undefined;
  #confinement: Confinement | undefined;
  #isEnded = false;

  constructor(session: Pick<ToolSession, 'conversationId' | 'workingDirectory'>, options: HandsOptions) {
    const { conversationId, workingDirectory } = session;
    const { sideDirectory, secrets, platform } = options;
    this.#session = {
      conversationId,
      workingDirectory,
      ...(sideDirectory ? { sideDirectory: sideDirectory(conversationId) } : {}),
    };
    this.#options = options;
    this.#vault = secrets({ platform });
  }

  /** Executes a request. Rejects as its tool does. */
  async execute(request: TerminalRequest | FileRequest, context: RequestContext): Promise<JsonObject> {
    const { signal } = context;
    signal.throwIfAborted();
    if (request.tool === 'terminal') {
      // the shell itself refuses a call beside another
      if (this.#running?.aborted === false) return this.#run(request, context);
      return this.#turns.run(() => this.#inTurn(request, context));
    }
    this.#files ??= this.#openFiles();
    const files = await this.#files.catch((error: unknown) => {
      this.#files = undefined;
      throw error;
    });
    return executeFiles(files, request, signal);
  }

  /** Ends all programs. A call that waits for its turn then starts none. */
  async end(): Promise<void> {
    this.#isEnded = true;
    const shell = await this.#shell?.catch(() => undefined);
    await shell?.close?.();
    await this.#files?.catch(() => undefined);
    await this.#confinement?.close();
  }

  async #inTurn(request: TerminalRequest, context: RequestContext): Promise<JsonObject> {
    this.#running = context.signal;
    try {
      return await this.#run(request, context);
    } finally {
      this.#running = undefined;
    }
  }

  async #run({ input, secrets, limits }: TerminalRequest, given: RequestContext): Promise<JsonObject> {
    given.signal.throwIfAborted();
    if (this.#isEnded)
      throw new ToolError(
        'FAILED',
        'The executor has ended what this conversation ran. This call had no effect. Call again.',
      );
    const isNew = this.#shell === undefined;
    this.#shell ??= this.#openShell(limits);
    const shell = await this.#shell.catch((error: unknown) => {
      // another call may find what is missing now
      this.#shell = undefined;
      throw error;
    });
    this.#vault.hide(Object.values(secrets));
    const environmentFor = async (): Promise<NamedSecrets> => ({ environment: secrets, missing: [] });
    const { masker } = this.#vault;
    const context = { ...this.#session, secrets: { masker, environmentFor }, ...given, toolCallId: '' };
    const { content, isError = false, fields = {} }: ToolResult = await shell.execute(shell.parse(input), context);
    return { isNew, content: content as never, isError, fields };
  }

  async #openShell({ noOutputTimeout, maxTimeout }: TerminalRequest['limits']): Promise<Tool> {
    await this.#makeFolder();
    const { platform, sandbox, environment } = this.#options;
    const factory = terminal({
      platform,
      ...(sandbox ? { sandbox } : {}),
      ...(environment ? { environment } : {}),
      ...(noOutputTimeout === undefined ? {} : { noOutputTimeout }),
      ...(maxTimeout === undefined ? {} : { maxTimeout }),
    });
    return factory.create(this.#session);
  }

  async #openFiles(): Promise<Files> {
    await this.#makeFolder();
    const { platform, sandbox } = this.#options;
    this.#confinement ??= await sandbox?.open(this.#session);
    return new PlacedFiles(this.#confinement ? new SandboxPlaces(this.#confinement) : machinePlaces, platform);
  }

  async #makeFolder(): Promise<void> {
    const { workingDirectory } = this.#session;
    try {
      await makeFolder(workingDirectory);
    } catch (cause) {
      throw new ToolError(
        'FAILED',
        `The executor cannot make the folder ${workingDirectory} of this conversation: ${errorText(cause)}. This call had no effect. Ask the user for a folder that the executor may write.`,
        { cause },
      );
    }
  }
}
