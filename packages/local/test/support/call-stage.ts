import type { LocalConversationOptions } from '../../src/index.ts';
import { play, type Bench } from './bench.ts';
import type { Answer, Script } from './scripted-agent.ts';

/** A run whose calls begin and end as the test has them; a call is called by the name of its tool. */
export interface CallStage extends Bench {
  readonly running: Promise<{ readonly status: string }>;
  /** Names of the calls that run now, in the order in which they began. */
  readonly now: ReadonlySet<string>;
  /** Names in the order in which their calls began. */
  readonly names: readonly string[];
  /** Resolves when a call with this name has begun. */
  readonly begun: (name: string) => Promise<void>;
  /** Ends a call that runs, or will. */
  readonly end: (name: string) => void;
  /** Resolves when so many calls have their results. */
  readonly results: (count: number) => Promise<void>;
}

/** Begins a run in which the model calls these tools at once, so many at the same time, and is done then. */
export async function stage(
  calls: Answer,
  concurrency: number,
  { script = {}, options = {}, runs = true }: StageOptions = {},
): Promise<CallStage> {
  const begins = new Gates();
  const ends = new Gates();
  const now = new Set<string>();
  const names: string[] = [];
  const bench = await play(
    {
      think: ({ number }) => (number === 1 ? calls : 'done'),
      concurrency,
      resources: () => [],
      call: async (name, signal) => {
        now.add(name);
        names.push(name);
        begins.of(name).resolve();
        const left = (): void => void now.delete(name);
        signal.addEventListener('abort', left, { once: true });
        await ends.of(name).promise;
        left();
        return name;
      },
      ...script,
    },
    options,
  );
  const { conversation } = bench;
  let count = 0;
  const counts = new Gates();
  conversation.subscribe((event) => {
    if ('tool_call_id' in event && event.kind !== 'ActionEvent') counts.of(String(++count)).resolve();
  });
  await conversation.sendMessage('go');
  const running = runs ? conversation.run() : Promise.resolve({ status: 'idle' });
  // a test that expects a failing run looks at it
  running.catch(() => {});
  return {
    ...bench,
    running,
    now,
    names,
    begun: (name) => begins.of(name).promise,
    end: (name) => ends.of(name).resolve(),
    results: (number) => counts.of(String(number)).promise,
  };
}

/** Options of a stage beside its calls. */
export interface StageOptions {
  readonly script?: Script;
  readonly options?: LocalConversationOptions;
  /** Default `true`; else the test runs the conversation. */
  readonly runs?: boolean;
}

class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();

  of(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>();
    this.#gates.set(name, gate);
    return gate;
  }
}
