import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';

import {
  client,
  ndJsonStream,
  type ClientContext,
  type NewSessionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { onTestFinished, vi } from 'vitest';

import { commandOf, type Setting } from '../command.ts';

/** A process `conv acp`, and the published client of the protocol in front of it. */
export class EditorProcess {
  readonly agent: ClientContext;
  /** Lines of the editor by message and by call. */
  readonly lines = new Map<string, string>();
  readonly ended: Promise<unknown>;
  /** The text on standard error. */
  errors = '';
  #decision: ((optionId: string) => void) | undefined;
  readonly #child;
  readonly #connection;

  constructor({ cwd, env = {} }: Setting, ...args: readonly string[]) {
    const command = commandOf('acp', ...args);
    this.#child = spawn(process.execPath, command.args, { cwd, env: { ...command.env, ...env }, stdio: 'pipe' });
    const { stdin, stdout, stderr } = this.#child;
    stderr.on('data', (data: Buffer) => (this.errors += data.toString()));
    this.ended = once(this.#child, 'exit');
    const stream = ndJsonStream(
      Writable.toWeb(stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
    );
    this.#connection = client({ name: 'editor' })
      .onNotification('session/update', ({ params: { update } }) => {
        if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
          this.lines.set(update.toolCallId, `call ${update.status}`);
        if (!('messageId' in update) || update.content.type !== 'text') return;
        const key = `${update.sessionUpdate} ${update.messageId}`;
        this.lines.set(key, (this.lines.get(key) ?? '') + update.content.text);
      })
      .onRequest('session/request_permission', async () => {
        const optionId = await new Promise<string>((resolve) => {
          this.#decision = resolve;
        });
        return { outcome: { outcome: 'selected', optionId } } satisfies RequestPermissionResponse;
      })
      .connect(stream);
    this.agent = this.#connection.agent;
    onTestFinished(() => this.kill());
  }

  /** Lines of the editor, in order. */
  get shown(): readonly string[] {
    return [...this.lines.values()];
  }

  /** Resolves with the id of a session that is new, or loaded. */
  async session(cwd: string, sessionId?: string): Promise<string> {
    await this.agent.request('initialize', { protocolVersion: 1 });
    const place: NewSessionRequest = { cwd, mcpServers: [] };
    if (sessionId === undefined) return (await this.agent.request('session/new', place)).sessionId;
    await this.agent.request('session/load', { sessionId, ...place });
    return sessionId;
  }

  /** Sends a text. Resolves with the reason why its turn ended. */
  async say(sessionId: string, text: string): Promise<string> {
    const answer = await this.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    return answer.stopReason;
  }

  /** Answers the question about a call, when it has come. */
  async decide(optionId: 'allow' | 'reject'): Promise<void> {
    await vi.waitUntil(() => this.#decision !== undefined, { timeout: 60_000, interval: 20 });
    this.#decision?.(optionId);
  }

  /** Ends the connection, as an editor that is closed does. */
  leave(): void {
    this.#child.stdin.destroy();
    this.#connection.close();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
