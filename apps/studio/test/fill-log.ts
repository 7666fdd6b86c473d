import { randomUUID } from 'node:crypto';
import { ConversationState, initialFields, type JsonObject } from '@conv/core';
import { drafts, type Event, parseEvent } from '@conv/core/events';
import type { CallRecord, ConversationStore } from '@conv/core/store';

/** Events of a commit: a call and its result, and more of them in long logs, which are filled in less time. */
const [FEW, MANY] = [2, 200];

/** Options of {@link fillLog}. */
export interface FillOptions {
  readonly count: number;
  readonly id?: string;
  readonly title?: string;
  readonly workingDir?: string;
  /** The agent as the wire describes it. */
  readonly agent?: JsonObject;
  /** Events that follow the generated ones, as the wire has them, without id, time and parent. */
  readonly more?: readonly JsonObject[];
}

/** Stores a conversation with a generated log of turns, calls, changes of files and errors. Resolves with its id. */
export async function fillLog(store: ConversationStore, options: FillOptions): Promise<string> {
  const { count, id = randomUUID(), title = 'A generated conversation', workingDir = '/work', more = [] } = options;
  const agent = options.agent ?? { kind: 'Agent', llm: { model: 'scripted-model' }, tools: [] };
  const workspace = { kind: 'LocalWorkspace', workingDir };
  const state = await ConversationState.open(await store.open(id, { owner: 'fill' }), { id, agent, workspace, title });
  if (count + more.length === 0) await state.append([drafts.pause()]);
  await state.close();
  const journal = await store.open(id, { owner: 'fill', create: 'never' });
  const size = count > 5_000 ? MANY : FEW;
  let parent: string | null = null;
  const wire = [...Array.from({ length: count }, (_, index) => generated(index)), ...more];
  for (let from = 0; from < wire.length; from += size) {
    const events = wire.slice(from, from + size).map((fields, offset): Event => {
      const event = parseEvent({
        id: eventId(from + offset),
        timestamp: timeOf(from + offset),
        ...(parent === null ? {} : { parent_id: parent }),
        ...fields,
      });
      parent = event.id;
      return event;
    });
    const records = [recordAt(from)];
    await journal.append({ id: randomUUID(), events, records }, { ...initialFields, leafEventId: parent });
  }
  await journal.close();
  await (await ConversationState.open(await store.open(id, { owner: 'fill', create: 'never' }))).close();
  return id;
}

/** The id of an event in a generated log. */
export function eventId(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

function timeOf(index: number): string {
  return new Date(Date.UTC(2026, 10, 20, 9) + index * 700).toISOString().replace('Z', '000');
}

function recordAt(index: number): CallRecord {
  return {
    kind: 'model_call',
    usageId: 'agent',
    model: 'scripted-model',
    cost: 0.01,
    promptTokens: 1200 + index,
    completionTokens: 90,
    cacheReadTokens: 1000,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    contextWindow: 200_000,
    latency: 1.4,
    responseId: `response-${index}`,
    timestamp: Date.UTC(2026, 10, 20, 9) / 1000 + index,
  };
}

/** Events of a turn, after which the next turn begins. */
const TURN = 10;

function generated(index: number): JsonObject {
  const turn = Math.floor(index / TURN);
  const call = `call-${turn}-${Math.floor((index % TURN) / 2)}`;
  switch (index % TURN) {
    case 0:
      return message('user', `Request ${turn}: make the greeting friendlier, and run the tests.`);
    case 1:
      return action(
        'terminal',
        call,
        { kind: 'TerminalAction', command: `npm test -- --run ${turn}` },
        'I run the tests first.',
      );
    case 2:
      return result(
        'terminal',
        `call-${turn}-0`,
        turn % 7 === 3 ? '\u001b[31m1 failed\u001b[0m' : '\u001b[32m12 passed\u001b[0m',
        {
          kind: 'TerminalObservation',
          command: 'npm test',
          exit_code: turn % 7 === 3 ? 1 : 0,
        },
      );
    case 3:
      return action('file_editor', `call-${turn}-1`, {
        kind: 'FileEditorAction',
        command: 'str_replace',
        path: `/work/src/greet-${turn % 5}.js`,
        old_str: 'return "Hello " + name;',
        new_str: 'return `Hello ${name}!`;',
      });
    case 4:
      return result('file_editor', `call-${turn}-1`, 'edited', {
        kind: 'FileEditorObservation',
        command: 'str_replace',
        path: `/work/src/greet-${turn % 5}.js`,
        old_content: 'export function greet(name) {\n  return "Hello " + name;\n}\n',
        new_content: 'export function greet(name) {\n  return `Hello ${name}!`;\n}\n',
      });
    case 5:
      return action('terminal', `call-${turn}-2`, { kind: 'TerminalAction', command: 'git diff --stat' });
    case 6:
      return result('terminal', `call-${turn}-2`, ' src/greet.js | 2 +-\n 1 file changed', {
        kind: 'TerminalObservation',
        command: 'git diff --stat',
        exit_code: 0,
      });
    case 7:
      return action('think', `call-${turn}-3`, {
        kind: 'ThinkAction',
        thought: 'The change is small, and the tests say enough.',
      });
    case 8:
      return result('think', `call-${turn}-3`, 'Your thought has been logged.', { kind: 'ThinkObservation' });
    default:
      return message(
        'agent',
        `Turn ${turn} is **done**:\n\n- changed \`src/greet-${turn % 5}.js\`\n- the tests ${turn % 7 === 3 ? 'fail' : 'pass'}`,
      );
  }
}

/** A message as the wire has it. */
export function message(source: 'user' | 'agent', text: string): JsonObject {
  const role = source === 'user' ? 'user' : 'assistant';
  return { kind: 'MessageEvent', source, llm_message: { role, content: [{ type: 'text', text }] } };
}

/** A call as the wire has it. */
export function action(tool: string, call: string, fields: JsonObject, thought = ''): JsonObject {
  return {
    kind: 'ActionEvent',
    source: 'agent',
    thought: thought === '' ? [] : [{ type: 'text', text: thought }],
    action: fields,
    tool_name: tool,
    tool_call_id: call,
    tool_call: { id: call, name: tool, arguments: JSON.stringify(fields), origin: 'completion' },
    llm_response_id: `response-${call}`,
  };
}

/** The result of a call as the wire has it. */
export function result(tool: string, call: string, text: string, observation: JsonObject): JsonObject {
  return {
    kind: 'ObservationEvent',
    source: 'environment',
    tool_name: tool,
    tool_call_id: call,
    action_id: call,
    observation: { content: [{ type: 'text', text }], is_error: false, ...observation },
  };
}
