import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { basename, dirname } from 'node:path';

import { createAgent, createModel, llmSummarizingCondenser, type CreateModelOptions } from '@conv/agent';
import { drafts, isEvent, type EventDraft } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { FsStore, nodeDisk, type Disk } from '@conv/persist-fs';

/** Has an agent work until its log has so many events, and says what memory that took at most behind the first tenth of it. */
const [folder = '', until = '0'] = process.argv.slice(2);
const events = Number(until);
const { gc } = globalThis;
if (!gc) throw new Error('it needs --expose-gc');

/** Calls of an answer, answers of a run, calls that are there from elsewhere before each run, and how long each is. */
const [BATCH, ANSWERS, ELSEWHERE, CHARACTERS] = [10, 5, 400, 2_000];

let answers = 0;

/** Thinks aloud in batches, ends every run after so many of them, and writes notes when there is a summary to write. */
const languageModel: CreateModelOptions['languageModel'] = {
  specificationVersion: 'v4',
  provider: 'test',
  modelId: 'thinker',
  supportedUrls: {},
  doGenerate: async ({ tools = [] }) => {
    const number = ++answers;
    const says = tools.length === 0 || number % ANSWERS === 0;
    const batch = Array.from({ length: BATCH }, (_, at) => ({
      type: 'tool-call' as const,
      toolCallId: `call_${number}_${at}`,
      toolName: 'think',
      input: JSON.stringify({ thought: `${number}.${at} ${'.'.repeat(CHARACTERS)}` }),
    }));
    return {
      content: says ? [{ type: 'text' as const, text: `notes ${number}` }] : batch,
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
      response: { id: `response_${number}` },
    };
  },
  doStream: () => Promise.reject(new Error('nobody listens')),
};

function callAndResult(): readonly EventDraft[] {
  const [id, actionId] = [`call_${randomUUID()}`, randomUUID()];
  const input = JSON.stringify({ text: '.'.repeat(CHARACTERS) });
  const call = drafts.action({
    action: { data: JSON.parse(input) as never, kind: 'MCPToolAction' },
    tool_name: 'echo',
    tool_call_id: id,
    tool_call: { id, name: 'echo', arguments: input, origin: 'completion' },
    llm_response_id: `response_${id}`,
  });
  const result = { content: [{ type: 'text', text: 'done' }], tool_name: 'echo', kind: 'MCPToolObservation' } as const;
  return [{ ...call, id: actionId }, drafts.observation({ ...call, id: actionId }, result)];
}

function held(): number {
  gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Without the files that other programs read: there is one for each event. */
const isNew = (path: string, mode: string): boolean => mode === 'create' && basename(dirname(path)) === 'events';
const disk: Disk = {
  ...nodeDisk,
  open: (path, mode) => (isNew(path, mode) ? nodeDisk.open(devNull, 'update') : nodeDisk.open(path, mode)),
  createFile: async (path, bytes) => (isNew(path, 'create') ? undefined : nodeDisk.createFile(path, bytes)),
};
const store = new FsStore({ directory: folder, disk });
const agent = createAgent({
  model: createModel({ languageModel }),
  condenser: llmSummarizingCondenser({ maxSize: 80 }),
});
const conversation = await openLocalConversation({ storeAt: () => store }, { store, agent, workspace: folder });
let [condensations, delivered] = [0, 0];
conversation.subscribe(
  {
    onEvent: (event) => {
      delivered += 1;
      if (isEvent(event, 'Condensation')) condensations += 1;
    },
  },
  { from: toEventIndex(0) },
);
let [start, most] = [0, 0];
while (conversation.events.length < events) {
  await conversation.sendMessage('go on');
  await conversation.run();
  for (let appended = 0; appended < ELSEWHERE; appended += 50)
    await conversation.state.append(Array.from({ length: 50 }, callAndResult).flat());
  if (conversation.events.length < events / 10) start = held();
  else most = Math.max(most, held());
}
const { length } = conversation.events;
await conversation.close();
await store.close();
process.send?.({ length, condensations, delivered, megabytes: (most - start) / 1024 / 1024 });
process.disconnect();
