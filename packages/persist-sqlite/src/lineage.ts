import { forkCommits, type ForkOptions, type JournalReader } from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { stateAfter } from '@conv/store-kit';
import type { ImportInput } from './calls.ts';
import { toBody, toSummary } from './commit-body.ts';

/**
 * Resolves with the conversation that a fork from an event makes: the path to the event under the current settings, and the patch
 * of the fork.
 */
export async function lineageOf(
  source: JournalReader,
  newId: string,
  options: ForkOptions,
  platform: Platform,
): Promise<ImportInput> {
  const commits = await forkCommits(source, options, platform);
  return {
    id: newId,
    summary: toSummary(await stateAfter(commits)),
    commits: commits.map((commit) => ({
      seq: commit.seq,
      epoch: commit.epoch,
      firstEvent: commit.firstEvent,
      eventIds: commit.events.map(({ id }) => id),
      body: toBody(commit),
    })),
  };
}
