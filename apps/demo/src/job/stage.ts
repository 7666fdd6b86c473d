import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

import type { Environment } from '@conv/agent';
import { KEY_VARIABLE, readConversation } from '@conv/cli/parts';
import type { Event } from '@conv/core/events';

import type { ChosenModel } from '../model/choose-model.ts';
import { copyRepository } from './copy-repository.ts';
import type { Acknowledged, JobWorker } from './job-worker.ts';
import { Narrator } from './narrator.ts';
import { type Facts, recount } from './recount.ts';
import type { OpenRequest } from './worker-message.ts';

/** State shared by all acts of the job: the folders, the conversation and its holder. */
export abstract class Stage<Worker extends JobWorker = JobWorker> {
  readonly narrator: Narrator = new Narrator();
  readonly chosen: ChosenModel;
  /** The temporary folder of everything. */
  readonly base: string = realpathSync(mkdtempSync(join(tmpdir(), 'conv-demo-')));
  /** The copy that the agent works in. */
  readonly repository: string = join(this.base, 'repository');
  /** The folder of conversations. */
  readonly directory: string = join(this.base, 'conversations');
  readonly id: string = randomUUID();
  /** The facts that the agent is to find, counted without it and before it began. */
  readonly expected: Facts;
  readonly digest: string;
  /** The variables of all processes: they find the same model, and read what one of them encrypted. */
  readonly environment: Environment;
  protected readonly workers: Worker[] = [];
  protected readonly forkWorkers: Worker[] = [];

  constructor(chosen: ChosenModel) {
    this.chosen = chosen;
    this.environment = { ...chosen.environment, [KEY_VARIABLE]: randomBytes(32).toString('hex') };
    copyRepository(this.repository);
    this.expected = recount(this.repository);
    this.digest = digestOf(this.repository);
  }

  /** The conversation's folder. */
  get conversationFolder(): string {
    return join(this.directory, this.id.replaceAll('-', ''));
  }

  /** Every event of the conversation that any worker acknowledged, one worker after the other. */
  get acknowledged(): readonly Acknowledged[] {
    return this.workers.flatMap((worker) => worker.acknowledged);
  }

  start(): Worker {
    const worker = this.create();
    this.workers.push(worker);
    return worker;
  }

  /** A worker for a fork: what it acknowledges belongs to another log. */
  startForFork(): Worker {
    const worker = this.create();
    this.forkWorkers.push(worker);
    return worker;
  }

  /** Starts a worker after the previous worker has ended. It knows only what is stored. */
  abstract successor(): Promise<Worker>;

  /** Returns the options for opening the job's conversation. */
  request(create: OpenRequest['create'], from: number): OpenRequest {
    return { id: this.id, directory: this.directory, workspace: this.repository, create, from };
  }

  /** The events that are stored, read by this process through the store. */
  async storedEvents(id: string = this.id): Promise<readonly Event[]> {
    await using stored = await readConversation(`fs:${this.directory}`, id);
    return await stored.state.events.slice();
  }

  /** Waits on a terminal, so that a person can look. */
  async pauseForPeople(milliseconds: number): Promise<void> {
    if (process.stdout.isTTY) await wait(milliseconds);
  }

  async end(keep: boolean): Promise<void> {
    await this.leave();
    if (!keep) rmSync(this.base, { recursive: true, force: true });
  }

  protected abstract create(): Worker;

  /** Ends whatever still runs. */
  protected abstract leave(): Promise<void>;
}

/** Returns a digest of the names and contents of all files of a folder. */
export function digestOf(folder: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}
