import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { ServerLog } from '../round/server-log.ts';
import { KEY_HEADER } from '../server/server-plan.ts';
import { ToolDisplay } from '../show/tool-display.ts';
import type { Client, Decided, Door, Said, Visit } from './door.ts';
import { newestMessage } from './newest-message.ts';
import { pause } from './rest.ts';

/** The published client of MCP, to which a conversation is a tool. It comes back with the id of its task, which is a place in the log. */
export const toolDoor: Door = {
  name: 'mcp',
  shows: 'turn',
  takesCursor: false,
  leavesOut: ['reasoning', 'image', 'call', 'condensation'],
  open: async (visit) => {
    const client = new ToolClient(visit);
    await client.resume();
    return client;
  },
};

class ToolClient implements Client {
  readonly #visit: Visit;
  readonly #log: ServerLog;
  readonly #closed = new AbortController();
  readonly #answers: ToolDisplay[] = [];
  /** Questions that the person was shown and left. */
  readonly #asked = new Set<string>();
  /** The answers of the person to questions. True: the call runs. */
  #decided: ReadonlyMap<string, boolean> = new Map();
  /** True if the server has the answers to the approved questions. */
  #isTaken = false;
  #isAnswered = false;
  #mcp: McpClient | undefined;
  #work: Promise<void> = Promise.resolve();
  #isWorking = false;

  constructor(visit: Visit) {
    this.#visit = visit;
    this.#log = new ServerLog(() => visit.url, visit.id);
  }

  async known(): Promise<undefined> {}

  /** Reads the newest task, as a client does that kept its id alone. */
  async resume(): Promise<void> {
    const message = await newestMessage(this.#log);
    if (message) await this.#begin(new ToolDisplay(message.text, message.id, `${this.#visit.id}.${message.id}`));
  }

  async send({ text }: Said): Promise<void> {
    await this.#work;
    await this.#begin(new ToolDisplay(text, crypto.randomUUID()));
  }

  /** Answers the questions that were shown, in a task that is read again. */
  async decide(decisions: readonly Decided[]): Promise<void> {
    await this.#work;
    const answers = [...this.#asked].map((question): readonly [string, boolean] => {
      // a question has the arguments of its call
      const decision = decisions.find(({ words }) => question.includes(JSON.stringify(words)));
      return [question, decision?.approved === true];
    });
    this.#decided = new Map(answers);
    this.#asked.clear();
    [this.#isAnswered, this.#isTaken] = [false, false];
    this.#follow(this.#answers.at(-1) as ToolDisplay);
    while (!this.#isTaken && !this.#closed.signal.aborted) await pause();
  }

  async stop(): Promise<void> {
    const { task } = this.#answers.at(-1) as ToolDisplay;
    const isOver = async (): Promise<boolean> => {
      const client = (this.#mcp ??= await this.#connected());
      await client.callTool({ name: 'stop_answer', arguments: { task } }, { signal: this.#closed.signal });
      return true;
    };
    while (!(await isOver().catch(() => false)) && (await this.#log.status()) === 'running') await pause();
  }

  async look(): Promise<void> {
    await this.#work;
    this.#asked.clear();
    this.#follow(this.#answers.at(-1) as ToolDisplay);
  }

  isAtRest(): boolean {
    return !this.#isWorking;
  }

  shown(): readonly string[] {
    return this.#answers.flatMap((answer) => answer.lines());
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#work;
    await this.#mcp?.close();
  }

  async #begin(answer: ToolDisplay): Promise<void> {
    const isNew = answer.task === undefined;
    this.#answers.push(answer);
    this.#follow(answer);
    while ((isNew ? answer.task === undefined : !answer.hasBegun) && !this.#closed.signal.aborted) await pause();
  }

  /** Sends a message until something came of it, because its server may end before its run begins, and then reads its task until it rests. */
  #follow(answer: ToolDisplay): void {
    const isKnown = answer.task !== undefined;
    this.#isWorking = true;
    this.#work = (async () => {
      for (let isOver = false; !isOver && !this.#closed.signal.aborted;) {
        isOver = await this.#ask(answer, isKnown || answer.hasBegun).catch(() => false);
        if (!isOver) await pause();
      }
      this.#isWorking = false;
    })();
  }

  async #ask(answer: ToolDisplay, isTaken: boolean): Promise<boolean> {
    this.#mcp ??= await this.#connected();
    const call = isTaken
      ? { name: 'read_answer', arguments: { task: answer.task } }
      : { name: 'converse', arguments: { message: answer.text, conversation: this.#visit.id, id: answer.id } };
    // a call whose connection was lost waits for its timeout
    const lost = new AbortController();
    this.#mcp.onerror = () => lost.abort();
    const { structuredContent } = await this.#mcp.callTool(call, {
      signal: AbortSignal.any([this.#closed.signal, lost.signal]),
      onprogress: ({ message = '' }) => {
        answer.step(message);
        // the server stores answers before it tells a step
        this.#isTaken ||= this.#isAnswered;
      },
    });
    this.#isTaken = true;
    return answer.take(structuredContent);
  }

  async #connected(): Promise<McpClient> {
    const client = new McpClient(
      { name: 'doors', version: '1' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', async ({ params: { message } }) => {
      const approved = this.#decided.get(message);
      this.#isAnswered = approved !== undefined;
      if (approved !== undefined) return { action: 'accept', content: { approved } };
      this.#asked.add(message);
      return { action: 'cancel' };
    });
    const requestInit = { headers: KEY_HEADER };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${this.#visit.url}/mcp`), { requestInit }), {
      signal: this.#closed.signal,
    });
    return client;
  }
}
