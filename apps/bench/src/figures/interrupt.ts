import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Agent, AgentSession } from '@conv/core';
import { drafts } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { terminal } from '@conv/tools';

import { median, time, type Figure } from '../figure.ts';

/** P7: from `interrupt` until `run` has returned with its results stored. */
const LIMIT = 100;

/**
 * Measures how long an interrupt takes: of a run whose tool ignores its signal, and of a command in the terminal that ignores signals.
 * The baseline is to kill one bare process and to hear that it is gone.
 */
export async function interrupt(rounds: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-bench-interrupt-'));
  try {
    const times = { bare: [] as number[], run: [] as number[], command: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      times.bare.push(await killBare());
      times.run.push(await interruptRun(folder));
      times.command.push(await interruptCommand(folder));
    }
    const baseline = median(times.bare);
    return [
      figure('interrupt.run', median(times.run), baseline),
      figure('interrupt.command', median(times.command), baseline),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function figure(name: string, value: number, baseline: number): Figure {
  const target = { of: 'value', is: 'at most', limit: LIMIT } as const;
  return { name, value, unit: 'ms', baseline, ratio: value / baseline, target };
}

async function killBare(): Promise<number> {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return time(() => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    return gone;
  });
}

async function interruptRun(workspace: string): Promise<number> {
  const store = new MemoryStore();
  const started = Promise.withResolvers<void>();
  const agent = endlessAgent(started.resolve);
  const conversation = await openLocalConversation({ storeAt: () => store }, { store, agent, workspace });
  await conversation.sendMessage('go on');
  const running = conversation.run();
  await started.promise;
  const value = await time(async () => {
    await conversation.interrupt();
    await running;
  });
  await conversation.close();
  return value;
}

async function interruptCommand(folder: string): Promise<number> {
  const ready = join(folder, crypto.randomUUID());
  const session = { conversationId: crypto.randomUUID(), workingDirectory: folder };
  const controller = new AbortController();
  const tool = await terminal().create(session);
  await mkdir(ready);
  const watcher = watch(ready);
  const isReady = once(watcher, 'change');
  const command = `sh -c "trap '' INT TERM HUP; touch ${ready}/now; while :; do sleep 1000; done"`;
  const call = Promise.resolve(
    tool.execute(tool.parse({ command }), { ...session, signal: controller.signal, toolCallId: 'call' }),
  );
  await isReady;
  watcher.close();
  const value = await time(() => {
    controller.abort(new Error('stop'));
    return call.catch(() => {});
  });
  await tool.close?.();
  return value;
}

/** An agent whose tool never ends and hears no signal. */
function endlessAgent(onStart: () => void): Agent {
  const session: AgentSession = {
    tools: [],
    systemPrompt: () => drafts.systemPrompt('bench', []),
    step: async (context) => {
      await context.emit([
        drafts.action({
          action: { data: {}, kind: 'MCPToolAction' },
          tool_name: 'noop',
          tool_call_id: 'call',
          tool_call: { id: 'call', name: 'noop', arguments: '{}', origin: 'completion' },
          llm_response_id: 'response',
        }),
      ]);
      return 'continue';
    },
    resources: () => [],
    execute: () => {
      onStart();
      return new Promise(() => {});
    },
    answer: () => Promise.reject(new Error('not asked here')),
    close: async () => {},
  };
  const agent: Agent = {
    describe: () => ({ kind: 'Agent' }),
    toolNames: [],
    start: async () => session,
    withModel: () => agent,
  };
  return agent;
}
