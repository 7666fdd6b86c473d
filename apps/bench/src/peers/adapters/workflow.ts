import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadPeer } from '../install.ts';
import type { Peer, PeerStore } from '../peer.ts';

interface Event {
  readonly eventType: string;
  readonly eventData?: { readonly payload?: { readonly text: string } };
}
interface Page {
  readonly data: readonly Event[];
  readonly cursor: string | null;
  readonly hasMore: boolean;
}
interface Runs {
  readonly data: readonly { readonly runId: string }[];
  readonly cursor: string | null;
  readonly hasMore: boolean;
}
interface World {
  readonly runs: {
    list(options: { readonly pagination: { readonly limit: number; readonly cursor?: string } }): Promise<Runs>;
  };
  readonly events: {
    create(runId: string | null, event: object): Promise<{ readonly run?: { readonly runId: string } }>;
    list(options: {
      readonly runId: string;
      readonly pagination: { readonly limit: number; readonly sortOrder: 'asc' | 'desc'; readonly cursor?: string };
    }): Promise<Page>;
  };
  close?(): Promise<void>;
}
interface WorldLocal {
  readonly createLocalWorld: (options: { readonly dataDir: string }) => World;
}

const PAGE = 1000;

/** The Workflow SDK's local world: a run for each conversation, whose hook receives the messages. */
export const workflow: Peer = {
  key: 'workflow-local',
  title: 'Workflow SDK, local world',
  kind: 'files',
  synced: 'nothing: a new file for each event, renamed into place without a flush',
  packages: ['@workflow/world-local'],
  remarks: {
    fork: 'no fork of a run',
    step: 'its storage alone: the three events of a step',
  },
  lacks: { resume: 'its runtime goes on with runs of compiled workflows; the local world alone only stores them' },
  load: async () => {
    const { createLocalWorld } = await loadPeer<WorldLocal>('@workflow/world-local');
    return async ({ directory }) => openStore(createLocalWorld({ dataDir: join(directory, 'world') }), directory);
  },
};

function openStore(world: World, directory: string): PeerStore {
  // the world gives each run its id
  const hookOf = (id: string): string => `hook_${id}`;
  const runOf = (id: string): string => readFileSync(join(directory, id), 'utf8');
  const receive = async (id: string, text: string): Promise<void> =>
    void (await world.events.create(runOf(id), {
      eventType: 'hook_received',
      correlationId: hookOf(id),
      eventData: { payload: { text } },
    }));
  const textsIn = (events: readonly Event[]): readonly string[] =>
    events.flatMap(({ eventType, eventData }) =>
      eventType === 'hook_received' && eventData?.payload ? [eventData.payload.text] : [],
    );
  return {
    fill: async (id, texts) => {
      const eventData = { deploymentId: 'bench', workflowName: 'bench', input: [] };
      const { run } = await world.events.create(null, { eventType: 'run_created', eventData });
      if (!run) throw new Error('expected a run from run_created, found none: the local world has changed');
      const { runId } = run;
      writeFileSync(join(directory, id), runId);
      await world.events.create(runId, {
        eventType: 'hook_created',
        correlationId: hookOf(id),
        eventData: { token: id, isWebhook: false },
      });
      for (const text of texts) await receive(id, text);
    },
    open: async (id) => ({
      append: (text) => receive(id, text),
      last: async (count) => {
        const page = await world.events.list({ runId: runOf(id), pagination: { limit: count, sortOrder: 'desc' } });
        return textsIn(page.data).toReversed();
      },
      all: async () => {
        const texts: string[] = [];
        let cursor: string | null = null;
        for (let hasMore = true; hasMore;) {
          const pagination = { limit: PAGE, sortOrder: 'asc', ...(cursor !== null && { cursor }) } as const;
          const page: Page = await world.events.list({ runId: runOf(id), pagination });
          texts.push(...textsIn(page.data));
          ({ cursor, hasMore } = page);
        }
        return texts;
      },
      close: async () => {},
    }),
    steps: async (id, calls) => ({
      run: async () => {
        const runId = runOf(id);
        for (let call = 0; call < calls; call++) await makeStep(world, runId);
      },
      close: async () => {},
    }),
    list: async () => {
      const ids: string[] = [];
      let cursor: string | null = null;
      for (let hasMore = true; hasMore;) {
        const page: Runs = await world.runs.list({ pagination: { limit: PAGE, ...(cursor !== null && { cursor }) } });
        ids.push(...page.data.map(({ runId }) => runId));
        ({ cursor, hasMore } = page);
      }
      return ids;
    },
    close: async () => world.close?.(),
  };
}

/** Stores what a step without work leaves in the log. */
async function makeStep(world: World, runId: string): Promise<void> {
  const correlationId = `step_${crypto.randomUUID()}`;
  const make = (eventType: string, eventData: object): Promise<unknown> =>
    world.events.create(runId, { eventType, correlationId, eventData });
  await make('step_created', { stepName: 'noop', input: [] });
  await make('step_started', {});
  await make('step_completed', { result: ['done'] });
}
