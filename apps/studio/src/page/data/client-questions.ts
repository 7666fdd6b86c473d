/** Milliseconds that a program has to answer a call of a client tool before a person is asked. */
const PROGRAMS = 2_000;
/** The calls of which it is known when they were first seen. An older one counts as seen for the first time when it is seen again. */
const MOST = 1_000;

/**
 * The calls of client tools that this page has seen waiting for an answer, and since when. The list and an open conversation share it, so that both
 * show a call as a question for a person by the same rule: programs had two seconds to answer it.
 */
export class ClientQuestions {
  readonly #since = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes that these calls wait. Returns the calls that a person is asked about. */
  asked(calls: readonly string[]): readonly string[] {
    return calls.filter((id) => this.#left(id) <= 0);
  }

  /** Returns the milliseconds until a person is asked about another one of these calls; `undefined` if no other one is left. */
  untilNext(calls: readonly string[]): number | undefined {
    const left = calls.map((id) => this.#left(id)).filter((time) => time > 0);
    return left.length === 0 ? undefined : Math.min(...left);
  }

  #left(id: string): number {
    const now = this.#now();
    const since = this.#since.get(id) ?? now;
    this.#since.set(id, since);
    const [oldest] = this.#since.keys();
    if (oldest !== undefined && this.#since.size > MOST) this.#since.delete(oldest);
    return since + PROGRAMS - now;
  }
}
