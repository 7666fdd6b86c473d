import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';

import {
  agent,
  type AgentContext,
  ndJsonStream,
  RequestError,
  type McpServer,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk/unstable';

// A program that speaks the Agent Client Protocol on its standard input and output, for tests. Each line of a prompt is an order, such as
// `say Hello`; a line that is none is answered with `heard: ` and the line. Its arguments say what it can do: `resume`, `load`, `models`,
// `images`, `http` (MCP servers by it), `usage`, `quota` (tokens as Gemini CLI tells them), `login` (it wants one), `key` (it wants to be told to use its key), `hang` (it never answers), `noise` (it prints
// other lines too), `modes` (its own mode asks nothing), `held` (it does not answer the first change of a mode or a model of all its processes), `kept` (a session that is resumed is still in the mode that asks), `beside` (its models are not among its settings). The sessions that it knows
// stand in the file of the variable SESSIONS, with the prompts that it got.

const can = new Set(process.argv.slice(2));
const file = process.env['SESSIONS'] ?? '';
type Sessions = Record<string, string[]>;
const sessions = (): Sessions => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Sessions) : {});
// as a whole, because a test reads it meanwhile
const keep = (id: string, prompts: string[]): void => {
  writeFileSync(`${file}.new`, JSON.stringify({ ...sessions(), [id]: prompts }));
  renameSync(`${file}.new`, file);
};

let servers: readonly McpServer[] = [];
let model = 'small';
let mode = 'auto';
let hasLogin = false;
let number = 0;
let cost = 0;
const cancels = new Map<string, () => void>();

const options = (): SessionConfigOption[] =>
  can.has('models')
    ? [
        {
          type: 'select',
          id: 'model',
          category: 'model',
          name: 'Model',
          currentValue: model,
          options: [
            { value: 'small', name: 'Small' },
            { value: 'large', name: 'Large', description: 'Slow' },
          ],
        },
      ]
    : [];

const modes = (): SessionModeState | null =>
  can.has('modes')
    ? { currentModeId: mode, availableModes: ['auto', 'plan', 'default'].map((id) => ({ id, name: id })) }
    : null;

const hold = async (sessionId: string): Promise<void> => {
  const note = 'does not answer the change';
  if (!can.has('held') || Object.values(sessions()).flat().includes(note)) return;
  keep(sessionId, [...(sessions()[sessionId] ?? []), note]);
  await new Promise(() => undefined);
};

const open = (sessionId: string): { configOptions: SessionConfigOption[]; modes: SessionModeState | null } => {
  if (!(sessionId in sessions())) throw RequestError.resourceNotFound(sessionId);
  if (can.has('kept')) mode = 'default';
  return { configOptions: options(), modes: modes() };
};

const app = agent({ name: 'scripted' })
  .onRequest('initialize', async () => {
    if (can.has('noise')) process.stdout.write('Welcome!\n[not json\n');
    if (can.has('hang')) await new Promise(() => undefined);
    return {
      protocolVersion: can.has('newer') ? 2 : 1,
      agentInfo: { name: 'scripted', version: '1.2.3' },
      authMethods: can.has('login')
        ? [{ id: 'browser', name: 'Log in with the browser' }]
        : can.has('key')
          ? [{ id: 'api-key', name: 'API key' }]
          : [],
      agentCapabilities: {
        loadSession: can.has('load'),
        mcpCapabilities: { http: can.has('http') },
        promptCapabilities: { image: can.has('images') },
        sessionCapabilities: can.has('resume') ? { resume: {} } : {},
      },
    };
  })
  .onRequest('authenticate', () => {
    hasLogin = true;
    return {};
  })
  .onRequest('session/new', ({ params }) => {
    servers = params.mcpServers;
    if (can.has('login') || (can.has('key') && !hasLogin))
      throw RequestError.authRequired({ authMethods: [{ id: 'api-key' }] }, 'no key');
    const sessionId = `session-${Object.keys(sessions()).length + 1}`;
    keep(sessionId, []);
    const small = { modelId: 'small', name: 'Small' };
    const models = { currentModelId: model, availableModels: [small, { modelId: 'large', name: 'Large' }] };
    return { sessionId, configOptions: options(), modes: modes(), ...(can.has('beside') ? { models } : {}) };
  })
  .onRequest('session/resume', ({ params }) => open(params.sessionId))
  .onRequest('session/load', async ({ params: { sessionId }, client }) => {
    const found = open(sessionId);
    const content = { type: 'text', text: 'an old answer' } as const;
    await client.notify('session/update', { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } });
    return found;
  })
  .onRequest('session/set_mode', async ({ params: { modeId, sessionId } }) => {
    await hold(sessionId);
    if (modeId !== 'plan' && !can.has('modes')) throw RequestError.invalidParams({}, `no mode ${modeId}`);
    mode = modeId;
    return {};
  })
  .onRequest('session/set_config_option', async ({ params: { value, sessionId } }) => {
    await hold(sessionId);
    if (value !== 'small' && value !== 'large') throw RequestError.invalidParams({}, `no model ${String(value)}`);
    model = value;
    return { configOptions: options() };
  })
  .onRequest(
    'session/set_model',
    (params: unknown) => params as { readonly modelId: string },
    ({ params: { modelId } }) => {
      model = modelId;
      return {};
    },
  )
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const said = prompt.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
    keep(sessionId, [...(sessions()[sessionId] ?? []), said]);
    const turn: { stopReason: StopReason } = { stopReason: 'end_turn' };
    const cancelled = new Promise<void>((resolve) => cancels.set(sessionId, resolve)).then(() => {
      turn.stopReason = 'cancelled';
    });
    for (const line of said.split('\n').filter((text) => text.trim() !== '')) {
      if (turn.stopReason === 'cancelled') break;
      await obey(line, { client, sessionId, cancelled });
    }
    const usage = { totalTokens: 12, inputTokens: 10, outputTokens: 2, cachedReadTokens: 4 };
    const quota = { token_count: { input_tokens: 20, output_tokens: 10 } };
    return { ...turn, ...(can.has('usage') ? { usage } : {}), ...(can.has('quota') ? { _meta: { quota } } : {}) };
  })
  .onNotification('session/cancel', ({ params: { sessionId } }) => cancels.get(sessionId)?.());

interface Place {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly cancelled: Promise<void>;
}

async function obey(line: string, { client, sessionId, cancelled }: Place): Promise<void> {
  const [, order = '', rest = ''] = /^(\w+)(?: (.*))?$/.exec(line) ?? [];
  const tell = (update: SessionUpdate): Promise<void> => client.notify('session/update', { sessionId, update });
  const say = (text: string): Promise<void> =>
    tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  const begin = async (title: string): Promise<string> => {
    const toolCallId = `tool-${++number}`;
    await tell({ sessionUpdate: 'tool_call', toolCallId, title, kind: 'execute', status: 'pending' });
    return toolCallId;
  };
  const end = async (toolCallId: string, output: string): Promise<void> => {
    await tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', rawInput: { run: output } });
    const diff = { type: 'diff', path: '/a', oldText: 'old', newText: output } as const;
    await tell({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: 'completed',
      rawOutput: output,
      content: [diff],
    });
  };
  switch (order) {
    case 'say':
      // in two pieces, so that a secret can lie on both sides of the cut
      await say(rest.slice(0, rest.length / 2));
      return say(rest.slice(rest.length / 2));
    case 'think':
      return tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: rest } });
    case 'tool':
      return end(await begin(rest), rest);
    case 'ask': {
      const toolCallId = await begin(rest);
      const { outcome } = await client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId, title: rest, kind: 'execute', rawInput: { command: rest } },
        options: [
          { optionId: 'always', name: 'Always', kind: 'allow_always' },
          { optionId: 'once', name: 'Once', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
      });
      const answer = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
      await (answer === 'once'
        ? end(toolCallId, rest)
        : tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' }));
      return say(`answered: ${answer}`);
    }
    case 'first': {
      // the question is the first that is told of the call
      const toolCallId = `tool-${++number}`;
      await client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId, title: rest, kind: 'execute', status: 'pending', rawInput: { command: rest } },
        options: [{ optionId: 'once', name: 'Once', kind: 'allow_once' }],
      });
      return tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    }
    case 'terminal': {
      // as Codex tells of its commands
      const toolCallId = `tool-${++number}`;
      const content = [{ type: 'terminal', terminalId: toolCallId }] as const;
      await tell({ sessionUpdate: 'tool_call', toolCallId, title: rest, status: 'in_progress', content: [...content] });
      for (const data of [rest.slice(0, 4), rest.slice(4)])
        await tell({ sessionUpdate: 'tool_call_update', toolCallId, _meta: { terminal_output_delta: { data } } });
      return tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    }
    case 'mode':
      return say(`mode=${mode}`);
    case 'late': {
      const toolCallId = await begin(rest);
      await end(toolCallId, rest);
      await tell({ sessionUpdate: 'tool_call_update', toolCallId, _meta: { note: rest } });
      return tell({ sessionUpdate: 'tool_call_update', toolCallId, rawOutput: `more ${rest}` });
    }
    case 'begin':
      return void (await begin(rest));
    case 'cost':
      cost += Number(rest);
      return tell({ sessionUpdate: 'usage_update', used: 5, size: 1000, cost: { amount: cost, currency: 'USD' } });
    case 'env':
      return say(`${rest}=${process.env[rest] ?? 'none'}`);
    case 'read':
      try {
        return await say(readFileSync(rest, 'utf8'));
      } catch (error) {
        return say(String((error as NodeJS.ErrnoException).code));
      }
    case 'servers':
      return say(JSON.stringify(servers));
    case 'model':
      return say(`model=${model}`);
    case 'prompts':
      return say(JSON.stringify(sessions()[sessionId]));
    case 'wait':
      return cancelled;
    case 'fail':
      process.stderr.write('a long story\n');
      throw RequestError.internalError({ details: rest }, 'no luck');
    case 'leave':
      // a process in another group, with the pipes of this one
      spawn('sleep', ['60'], { detached: true, stdio: 'inherit' }).once('spawn', () => process.exit(3));
      return new Promise(() => undefined);
    case 'die':
      process.stderr.write(`last words ${rest}\n`);
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    default:
      return say(`heard: ${line}`);
  }
}

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as never));
