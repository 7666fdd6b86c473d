import { forkCommits, type ForkOptions, type JournalReader } from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { bodyJson, forkState, keptText, settingsText, stateAfter, summaryColumns, toCommitBody } from '@conv/store-kit';
import type { ForkInput, ImportInput } from './calls.ts';
import type { SqliteReader } from './reader.ts';

/** Resolves with the fork of everything that a reader sees: the commits of its source in place, and a commit of its own. */
export async function wholeFork(
  source: SqliteReader,
  newId: string,
  { patch }: ForkOptions,
  platform: Platform,
): Promise<ForkInput> {
  const { key, end } = source;
  const { own, fields, kept } = await forkState(source, newId, patch);
  const body = bodyJson(toCommitBody({ id: platform.id(), events: [], patch: own }));
  return { key, end, newId, body, summary: summaryColumns(fields), kept };
}

/** Resolves with the fork from an event: the path to it under the current settings, and the patch of the fork. */
export async function lineageOf(
  source: JournalReader,
  newId: string,
  options: ForkOptions,
  platform: Platform,
): Promise<ImportInput> {
  const commits = await forkCommits(source, options, platform);
  const fields = await stateAfter(commits);
  return {
    id: newId,
    summary: summaryColumns(fields),
    kept: keptText(commits.length, settingsText(fields, newId)),
    commits: commits.map((commit) => ({
      seq: commit.seq,
      epoch: commit.epoch,
      firstEvent: commit.firstEvent,
      eventIds: commit.events.map(({ id }) => id),
      body: bodyJson(toCommitBody(commit)),
    })),
  };
}
