import { abortable } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { ToolContext } from '@conv/core/tool';
import type { CallToolResult } from '@modelcontextprotocol/client';

import type { AskedUser } from './asked-user.ts';
import type { CallOutcome } from './call-outcome.ts';
import { CallTime } from './call-time.ts';
import { failureOf } from './failure.ts';
import type { ListedTool, ToolList } from './list-tools.ts';
import { hasBegun, type BegunWork } from './server-calls.ts';
import { LoginNeeded, type PendingLogin, type ServerLogin } from './server-login.ts';

/** Member of a call's handle while the call waits for a login. The call was not made, so the next process makes it. */
const LOGIN = 'mcp_login';
const AUTHORIZE = 'authorize';

export interface CallLoginDeps {
  readonly platform: Platform;
  /** The name of the server. */
  readonly name: string;
  readonly callTimeout: number;
  readonly login: ServerLogin;
  /** Asks the person to log in; `undefined` if the conversation has no such tool. */
  readonly user: AskedUser | undefined;
}

/** True if a server refused the request until a person logs in, so that nothing was done. */
export function isLoginNeeded(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof LoginNeeded) return true;
  return false;
}

/** The logins of one server in one conversation, which calls wait for. */
export class CallLogin {
  readonly #deps: CallLoginDeps;
  #state: 'unknown' | 'standIn' | 'listed' = 'unknown';

  constructor(deps: CallLoginDeps) {
    this.#deps = deps;
  }

  /** Says that the tools of the server were listed. */
  listed(): void {
    this.#state = 'listed';
  }

  /**
   * Returns the tool `authorize` in place of the tools of a server that lists none before a login. Rejects {@link LoginNeeded} with the address
   * where no person can be asked, and where the tools are known from before. Resolves with `undefined` if there is access by now.
   */
  async list(): Promise<ToolList | undefined> {
    if (this.#state === 'listed') throw new LoginNeeded();
    const { user, name, login } = this.#deps;
    if (!user) {
      const pending = await login.begin();
      if (!pending) return undefined;
      throw new LoginNeeded(pending.address);
    }
    this.#state = 'standIn';
    const tool: ListedTool = {
      name: AUTHORIZE,
      description: `Asks the user to allow access to the server ${name}. It has other tools, which are there after the user has allowed it. Call this when a task needs them.`,
      inputSchema: { type: 'object', properties: {} },
      annotations: { title: `Allow access to ${name}`, readOnlyHint: true },
    };
    return { tools: [tool], faults: [] };
  }

  /** Returns the result of the tool `authorize`, for a call that comes when there is access. */
  grantedBy({ name }: ListedTool): CallToolResult | undefined {
    if (this.#state !== 'standIn' || name !== AUTHORIZE) return undefined;
    return {
      content: [{ type: 'text', text: `The user has allowed access to ${this.#deps.name}. Its tools are there now.` }],
    };
  }

  /** Drops the handle of a call that waited for a login in an earlier process, because the call is made now. */
  async forget({ handles, toolCallId }: ToolContext): Promise<void> {
    if (handles?.get(toolCallId)?.[LOGIN] === true) await handles.keep(toolCallId, {});
  }

  /** Waits for a login. Resolves with the reason why there is none, if so. Rejects only with the signal's reason. */
  async ask(context: ToolContext, begun: BegunWork): Promise<CallOutcome | undefined> {
    const { login, user } = this.#deps;
    try {
      const pending = await abortable(login.begin(), context.signal);
      if (!pending) return undefined;
      if (!user) throw new LoginNeeded(pending.address);
      if (hasBegun(begun)) return await this.#wait(context, user, pending);
      await context.handles?.keep(context.toolCallId, { [LOGIN]: true });
      const refusal = await this.#wait(context, user, pending);
      await context.handles?.keep(context.toolCallId, {});
      return refusal;
    } catch (error) {
      context.signal.throwIfAborted();
      const failure = failureOf(error);
      return {
        kind: 'answered',
        reason: 'reason' in failure ? failure.reason : 'it needs the authorization of a person',
      };
    }
  }

  /** Shows the address until the login is finished, whether the person answers the question or not. */
  async #wait(context: ToolContext, user: AskedUser, pending: PendingLogin): Promise<CallOutcome | undefined> {
    const { platform, name, callTimeout, login } = this.#deps;
    const time = new CallTime(platform, callTimeout);
    const running = user.begin(context, time);
    const end = new AbortController();
    const message = `${name} needs your authorization. Open the address and allow access.`;
    try {
      const finished = login.finished(pending, AbortSignal.any([context.signal, end.signal]));
      const answer = user.askFor(
        running,
        { mode: 'url', message, url: pending.address, elicitationId: pending.state },
        end.signal,
      );
      for (const work of [finished, answer]) work.catch(() => undefined);
      const first = await Promise.race([finished, answer]);
      if (first && first.action !== 'accept') return { kind: 'answered', reason: 'the user did not allow access' };
      await finished;
      return undefined;
    } finally {
      end.abort(new Error('the login has ended'));
      time.end();
      running.end();
    }
  }
}
