import type { Event } from '@conv/core/events';

import type { WorkerCalls } from './worker-message.ts';

/** An event that a worker reported, in the order of its reports. */
export interface Acknowledged {
  readonly index: number;
  readonly event: Event;
}

/** Holder of the job's conversation: a process that runs the agent, or a client of a server that does. */
export interface JobWorker {
  /** For people, at the beginning of a sentence. */
  readonly name: string;
  /** Every event that it was given so far. */
  readonly acknowledged: readonly Acknowledged[];
  /** Asks for something. Rejects when it fails. */
  call<Name extends keyof WorkerCalls>(
    name: Name,
    ...[argument]: Parameters<WorkerCalls[Name]>
  ): Promise<ReturnType<WorkerCalls[Name]>>;
  /** Closes its conversation, and what it needed for that. */
  end(): Promise<void>;
}
