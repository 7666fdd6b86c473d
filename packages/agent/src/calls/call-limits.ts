import type { Platform, Timer } from '@conv/core/platform';
import type { Tool, ToolSession } from '@conv/core/tool';
import { questions } from '@conv/openhands/client-tools';

/** The limit of a call that runs. */
export interface RunningLimit {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Ends the limit. */
  readonly end: () => void;
}

/** A limit that waits while `questions` are open. `start` returns the timer of the whole time. */
interface Waiting extends RunningLimit {
  questions: number;
  timer: Timer | undefined;
  readonly start: () => Timer;
}

/** The limits of time of the calls of one session. The limit of a call waits while its tool asks the user, and starts again with the answer. */
export class CallLimits {
  readonly #platform: Pick<Platform, 'setTimer'>;
  readonly #running = new Map<string, Waiting>();

  constructor(platform: Pick<Platform, 'setTimer'>) {
    this.#platform = platform;
  }

  /** Starts the limit of a call; `end` it once. */
  begin(toolCallId: string, milliseconds: number): RunningLimit {
    const over = new AbortController();
    const start = (): Timer => this.#platform.setTimer(milliseconds, () => over.abort());
    const end = (): void => {
      if (this.#running.get(toolCallId) === limit) this.#running.delete(toolCallId);
      limit.timer?.cancel();
    };
    const limit: Waiting = { signal: over.signal, end, start, timer: start(), questions: 0 };
    this.#running.set(toolCallId, limit);
    return limit;
  }

  /** Returns the session for the tools. By its tool that asks the user they ask as this class must know. */
  watch(session: ToolSession): ToolSession {
    const { ownTools } = session;
    if (!ownTools?.some(isQuestion)) return session;
    return { ...session, ownTools: ownTools.map((tool) => (isQuestion(tool) ? this.#watched(tool) : tool)) };
  }

  #watched(tool: Tool): Tool {
    return {
      ...tool,
      execute: (input, context) => this.#during(askingCall(context.toolCallId), () => tool.execute(input, context)),
    };
  }

  async #during<Answer>(call: string | undefined, ask: () => Answer | Promise<Answer>): Promise<Answer> {
    const limit = call === undefined ? undefined : this.#running.get(call);
    if (!limit) return ask();
    limit.questions += 1;
    limit.timer?.cancel();
    try {
      return await ask();
    } finally {
      limit.questions -= 1;
      // an answer does not start the limit of a call that has ended
      if (limit.questions === 0 && this.#running.get(call ?? '') === limit) limit.timer = limit.start();
    }
  }
}

/** True for the built-in tool that asks the user, who answers when there is time. */
export function isQuestion({ name, inputSchema }: Tool): boolean {
  return questions.isAskUser({ name, parameters: inputSchema });
}

/** Returns the call whose tool asks: the id of its question is that of the call, `_ask_` and a number. */
function askingCall(toolCallId: string): string | undefined {
  return /^(.+)_ask_\d+$/s.exec(toolCallId)?.[1];
}
