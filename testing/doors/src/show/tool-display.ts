/** The structured content of a result of `@conv/mcp`. */
interface Told {
  readonly task: string;
  readonly status: string;
  readonly answer: string;
  readonly error?: string;
}

/** A message and its answer, as a client of MCP shows them: each result has the whole answer so far. */
export class ToolDisplay {
  readonly text: string;
  /** The id that makes a repetition harmless. */
  readonly id: string;
  /** The id of the task, when the client knows it. */
  task: string | undefined;
  /** True if something has come of the message. */
  hasBegun = false;
  #told: Told | undefined;

  constructor(text: string, id: string, task?: string) {
    this.text = text;
    this.id = id;
    this.task = task;
  }

  /** Shows a step, which is told as progress. The first one names the task. */
  step(message: string): void {
    const [, task] = /^task (.+)$/.exec(message) ?? [];
    if (task === undefined) this.hasBegun = true;
    else this.task = task;
  }

  /** Shows a result. Returns true if the task is at rest. */
  take(structured: unknown): boolean {
    if (typeof Object(structured).task !== 'string') return false;
    this.#told = structured as Told;
    this.task = this.#told.task;
    this.hasBegun = true;
    return this.#told.status !== 'running' && this.#told.status !== 'queued';
  }

  lines(): readonly string[] {
    const texts = (this.#told?.answer ?? '').split('\n\n').filter((text) => text !== '');
    const { error } = this.#told ?? {};
    const failure = error === undefined ? [] : [`error: ${error.split(':')[0]}`];
    return [`user: ${this.text}`, ...texts.map((text) => `text: ${text}`), ...failure];
  }
}
