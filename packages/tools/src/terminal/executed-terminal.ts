import type { JsonObject, MaskStream, ToolSecrets } from '@conv/core';
import { ToolError, type Executor, type ToolContext, type ToolResult, type ToolSession } from '@conv/core/tool';

import { terminalAnswer, type TerminalAnswer, type TerminalRequest } from '../requests/executor-requests.ts';
import { secretsFor } from './command-secrets.ts';
import type { TerminalInput } from '../requests/terminal-input.ts';

const RENEWED =
  '[The executor has started again, so this is a new shell. Variables and background programs of the old one are gone.]\n';

/** The shell of one conversation where an executor acts. A command is sent once, with the secrets that it names and no others. */
export class ExecutedTerminal {
  readonly #session: ToolSession;
  readonly #executor: Executor;
  readonly #limits: TerminalRequest['limits'];
  #secrets: ToolSecrets | undefined;
  /** True if a shell answered before, whose loss the model is told of. */
  #hasAnswered = false;
  #closed = false;

  constructor(session: ToolSession, executor: Executor, limits: TerminalRequest['limits']) {
    this.#session = session;
    this.#executor = executor;
    this.#limits = limits;
    this.#secrets = session.secrets;
  }

  async execute(input: TerminalInput, { secrets, signal, onOutput }: ToolContext): Promise<ToolResult> {
    if (this.#closed) throw new ToolError('FAILED', 'The terminal is closed.');
    this.#secrets = secrets ?? this.#secrets;
    // input that is typed gets no secrets
    const named = input.is_input ? undefined : await secretsFor(input.command, this.#secrets, signal);
    const request = { tool: 'terminal', input, secrets: named?.environment ?? {}, limits: this.#limits } as const;
    const live = onOutput && new LiveOutput(this.#secrets, onOutput);
    const context = { signal, ...(live ? { onOutput: (text: string) => live.write(text) } : {}) };
    const given = await this.#executor.execute(this.#session, request as unknown as JsonObject, context);
    live?.end();
    const { data } = terminalAnswer.safeParse(given);
    if (!data)
      throw new ToolError(
        'FAILED',
        'The executor gave an answer that this terminal does not know. The outcome is unknown. Ask the user to update the executor.',
      );
    const { isNew, content, isError, fields } = data;
    const notes = [
      ...(isNew && this.#hasAnswered ? [RENEWED] : []),
      ...(named?.notes.map((note) => `[${note}]\n`) ?? []),
    ];
    this.#hasAnswered = true;
    return { content, isError, fields: withNotes(fields, notes) };
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#executor.end(this.#session.conversationId);
  }
}

/** Output while a command runs. The executor masked the secrets that it knows, and this masks all others. */
class LiveOutput {
  readonly #masking: MaskStream | undefined;
  readonly #show: (text: string) => void;

  constructor(secrets: ToolSecrets | undefined, show: (text: string) => void) {
    this.#masking = secrets?.masker.stream();
    this.#show = show;
  }

  write(text: string): void {
    this.#pass(this.#masking?.write(text) ?? text);
  }

  end(): void {
    this.#pass(this.#masking?.end() ?? '');
  }

  #pass(text: string): void {
    if (text !== '') this.#show(text);
  }
}

/** Adds notes to the text before the output, where a terminal of this machine has them. */
function withNotes(fields: TerminalAnswer['fields'], notes: readonly string[]): JsonObject {
  const { prefix } = fields.metadata;
  const missing = notes.filter((note) => !prefix.includes(note));
  return { ...fields, metadata: { ...fields.metadata, prefix: missing.join('') + prefix } };
}
