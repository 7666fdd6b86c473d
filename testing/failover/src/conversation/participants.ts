import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { isConversationError } from '@conv/core';
import { isEvent, type JsonObject } from '@conv/core/events';
import { openRemoteConversation, RemoteWorkspace, type RemoteConversation } from '@conv/remote';
import { messageText, Recorder, type Random, type Sent } from '@conv/testing-harness';

import { SESSION_KEY } from '../fleet/fleet.ts';
import { doneMessage, jobMessage, type Job } from '../model/job.ts';

/** Plan of the participants of a conversation. */
export interface ParticipantsPlan {
  /** The unique name of the conversation. */
  readonly name: string;
  /** The address of the balancer. */
  readonly host: string;
  readonly workingDir: string;
  readonly agent: JsonObject;
  readonly random: Random;
  /** For how many milliseconds the second one may wait before it joins. */
  readonly latest: number;
  /** Milliseconds between two remarks at most. */
  readonly pause: number;
  /** Aborts when no further job is begun. */
  readonly over: AbortSignal;
  /** Receives what was refused, for people. */
  readonly log: (line: string) => void;
}

/** Milliseconds. Servers are away for a while, and a lease has to end before another server takes over. */
// servers go away on purpose here: no warning
const REQUESTS = {
  answerTimeout: 60_000,
  requestTimeout: 60_000,
  backoff: { first: 50, most: 1500 },
  onRetry: () => {},
};
const HEARTBEAT = 5_000;
const GRACE = 60_000;

/** Milliseconds until something is tried again that was refused. */
const AGAIN = 500;

const STEPS = [3, 12] as const;

/** Two clients of a conversation: one gives jobs and makes remarks, both follow it from different events on. */
export class Participants {
  readonly plan: ParticipantsPlan;
  readonly id: string = randomUUID();
  readonly recorders: Recorder[] = [];
  readonly sent: Sent[] = [];
  readonly jobs: Job[] = [];
  /** The jobs whose end was seen. */
  done = 0;
  /** Commands that rejected. */
  refused = 0;
  /** Runs that were given up because their servers ended again and again. */
  givenUp = 0;
  /** Runs that resolved before their job was done. */
  early = 0;
  readonly #clients: RemoteConversation[] = [];
  #closed = false;

  constructor(plan: ParticipantsPlan) {
    this.plan = plan;
  }

  /** Works until no further job is wanted and the last one is done. */
  async work(): Promise<void> {
    const { over, random, latest } = this.plan;
    const sender = await this.#join('sender', 0);
    const joined = sleep(random.between(0, latest)).then(() => {
      const from = random.between(0, sender.events.length);
      return this.#join('observer', from);
    });
    // it is awaited below; until then its failure must not end the process
    joined.catch(() => {});
    do await this.#doJob(sender);
    while (!over.aborted);
    await joined;
  }

  /** Resolves when every subscriber was given this many events, or when time is up. */
  async arrive(length: number, until: number): Promise<void> {
    while (this.recorders.some(({ next }) => next < length) && Date.now() < until) await sleep(20);
  }

  /** They leave, whatever is left to do. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  async #join(role: string, from: number): Promise<RemoteConversation> {
    const { host, workingDir, agent } = this.plan;
    const workspace = new RemoteWorkspace({ host, apiKey: SESSION_KEY, workingDir, requests: REQUESTS });
    const recorder = new Recorder(`${role} of ${this.plan.name}`, from);
    return this.#again(`${role} joining`, async () => {
      const client = await openRemoteConversation(
        { heartbeat: HEARTBEAT },
        { workspace, id: this.id, subscriberGrace: GRACE, ...(from === 0 ? { agent } : { create: 'never' }) },
      );
      this.#clients.push(client);
      this.recorders.push(recorder);
      recorder.follow(client);
      return client;
    });
  }

  /** Gives a job, and runs until it is done. */
  async #doJob(sender: RemoteConversation): Promise<void> {
    const { random, name } = this.plan;
    const job = { name: `${name}/${this.jobs.length + 1}`, steps: random.between(...STEPS) };
    this.jobs.push(job);
    await this.#send(sender, jobMessage(job));
    const finished = new AbortController();
    const remarks = this.#makeRemarks(sender, job, finished.signal);
    remarks.catch(() => {});
    const tries = { made: 0 };
    await this.#again(`run of ${job.name}`, () => this.#runOnce(sender, job, tries));
    finished.abort();
    await remarks;
    // a remark that came when the run had ended wants another one
    await this.#again(`end of ${job.name}`, async () => {
      while ((await sender.run({ join: true })).status !== 'finished') this.early++;
    });
    this.done++;
  }

  /** Runs the job. Subscribers have the answer when the run resolves. From the second try on it joins an active run. */
  async #runOnce(sender: RemoteConversation, job: Job, tries: { made: number }): Promise<void> {
    while (!this.#heard(doneMessage(job))) {
      const { status } = await sender.run({ join: tries.made++ > 0 });
      if (this.#heard(doneMessage(job))) return;
      this.early++;
      this.plan.log(`run of ${job.name} resolved with ${status}, before the job was done`);
      await sleep(AGAIN);
    }
  }

  async #makeRemarks(sender: RemoteConversation, job: Job, finished: AbortSignal): Promise<void> {
    const { random, pause } = this.plan;
    for (let remark = 1; ; remark++) {
      await sleep(random.between(Math.ceil(pause / 8), pause), undefined, { signal: finished }).catch(() => {});
      if (finished.aborted) return;
      await this.#send(sender, `remark ${remark} on ${job.name}`);
    }
  }

  /** Sends a unique message. It is sent again under its id as often as needed, and must be in the log once. */
  async #send(sender: RemoteConversation, text: string): Promise<void> {
    const id = randomUUID();
    const { name } = this.plan;
    const at = this.sent.push({ text, client: name, id: undefined }) - 1;
    const answer = await this.#again(`message ${text}`, () => sender.sendMessage(text, { id }));
    this.sent[at] = { text, client: name, id: answer.id };
  }

  #heard(answer: string): boolean {
    return (this.recorders[0]?.given ?? []).some(
      ({ event }) => isEvent(event, 'MessageEvent') && event.source === 'agent' && messageText(event).includes(answer),
    );
  }

  /** Tries until it works; what is refused is told. */
  async #again<T>(what: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (this.#closed) throw error;
        if (isConversationError(error, 'RUN_FAILED')) this.givenUp++;
        else this.refused++;
        this.plan.log(`${what} of ${this.plan.name}: ${wordsOf(error)}`);
        await sleep(AGAIN);
      }
    }
  }
}

function wordsOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `, ${error.cause.message}` : '';
  return isConversationError(error) ? `${error.code} ${error.message}${cause}` : String(error);
}
