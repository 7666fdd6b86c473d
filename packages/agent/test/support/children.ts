import { randomUUID } from 'node:crypto';
import type { ChildCall, ChildConversations, ChildResult, ChildSummary, ChildTask } from '@conv/core/tool';

type Answer = (task: ChildTask, call: ChildCall) => Partial<ChildResult> | Promise<Partial<ChildResult>>;

/** Children that answer as the test says, and what they were asked. */
export class ScriptedChildren implements ChildConversations {
  readonly tasks: ChildTask[] = [];
  readonly calls: ChildCall[] = [];
  readonly known = new Map<string, ChildSummary>();
  readonly #answer: Answer;

  constructor(answer: Answer = () => ({ answer: 'done' })) {
    this.#answer = answer;
  }

  async find(id: string): Promise<ChildSummary | undefined> {
    return this.known.get(id);
  }

  async run(task: ChildTask, call: ChildCall): Promise<ChildResult> {
    const id = task.id ?? randomUUID();
    this.tasks.push(task);
    this.calls.push(call);
    const summary = { id, title: task.title ?? null, tags: task.tags ?? {}, status: 'finished' } as const;
    if (task.id === undefined) this.known.set(id, summary);
    return { id, status: 'finished', answer: '', pending: [], ...(await this.#answer(task, call)) };
  }
}
