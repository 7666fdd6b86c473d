import { readdirSync, readFileSync } from 'node:fs';

import type { Conversation } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { removeFolders } from '../new-folder.ts';
import { eventually } from '../server-process.ts';
import { AcpStage, play, told } from './acp-stage.ts';

afterAll(removeFolders);

/** The processes of the scripted program of a stage. */
function programsOf({ folder }: AcpStage): readonly number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((id) => {
    try {
      return readFileSync(`/proc/${id}/environ`, 'utf8').includes(`SESSIONS=${folder}/`);
    } catch {
      return false;
    }
  });
}

/** Resolves when the newest event is a tool call. */
async function begun(conversation: Conversation): Promise<void> {
  await eventually(async () => {
    const newest = await conversation.events.at(-1);
    return newest !== undefined && isEvent(newest, 'ACPToolCallEvent');
  });
}

test('P5: a program that is killed in its turn fails the run with what to do, and its words are kept', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent(['resume']));
  await conversation.sendMessage('say Halfway\nbegin Haul\ndie now');
  await expect(conversation.run()).rejects.toThrow(
    /was ended by SIGKILL; its last output was: last words now; run the conversation again/,
  );
  expect(await told(conversation)).toEqual([
    'tool: Haul pending',
    'tool: Haul failed',
    'agent: Halfway',
    'environment: The turn of the program ended here before it was complete.',
    'error: ACPPromptError',
  ]);
  expect(programsOf(stage)).toEqual([]);
  expect((await conversation.run()).status).toBe('finished');
  expect(stage.sessions['session-1']).toEqual([
    'say Halfway\nbegin Haul\ndie now',
    'Your last turn ended before it was complete. Check what it has already done, and then continue where it stopped.',
  ]);
});

test('P5: a turn ends with its program, also if a process that it left holds its pipes', async () => {
  const stage = new AcpStage();
  onTestFinished(() => programsOf(stage).forEach((id) => process.kill(id, 'SIGKILL')));
  const conversation = await stage.open(stage.agent([], { promptTimeout: 30_000 }));
  await conversation.sendMessage('say Halfway\nleave');
  await expect(conversation.run()).rejects.toThrow('it ended with code 3');
  expect(programsOf(stage)).toHaveLength(1);
});

test('P5: an interruption cancels the turn, and the next message finds the same program', async () => {
  const stage = new AcpStage();
  const conversation = await stage.open(stage.agent());
  await conversation.sendMessage('begin Haul\nwait\nsay Late');
  const run = conversation.run();
  await begun(conversation);
  const [program] = programsOf(stage);
  await conversation.interrupt();
  expect((await run).status).toBe('paused');
  expect(await play(conversation, 'say Ahoy')).toBe('finished');
  expect((await told(conversation)).slice(1)).toEqual([
    'tool: Haul failed',
    'InterruptEvent',
    'user: say Ahoy',
    'agent: Ahoy',
  ]);
  expect(programsOf(stage)).toEqual([program]);
  await conversation.close();
  expect(programsOf(stage)).toEqual([]);
});

test('a call that an interruption cut off ends with it, once, also if the server ends next', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['resume']);
  const conversation = await stage.open(agent);
  await conversation.sendMessage('begin Haul\nwait');
  const run = conversation.run();
  await begun(conversation);
  await conversation.interrupt();
  await run;
  await conversation.close();
  const again = await stage.open(agent, { id: conversation.id });
  await play(again, 'say Ahoy');
  expect((await told(again)).slice(0, 3)).toEqual(['tool: Haul pending', 'tool: Haul failed', 'InterruptEvent']);
  expect((await told(again)).filter((line) => line.startsWith('tool'))).toHaveLength(2);
});

test.each(['resume', 'load'])('P5: a session goes on after a restart where the program can %s it', async (can) => {
  const stage = new AcpStage();
  const agent = stage.agent([can, 'usage']);
  const first = await stage.open(agent);
  await play(first, 'say One', 'cost 1');
  await first.close();
  const again = await stage.open(agent, { id: first.id });
  await play(again, 'say Two');
  expect(stage.sessions).toEqual({ 'session-1': ['say One\ncost 1', 'say Two'] });
  expect((await told(again)).at(-1)).toBe('agent: Two');
});

test('the cost of a session counts on when the program counts from zero after a restart', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['resume', 'usage']);
  const first = await stage.open(agent);
  await play(first, 'cost 1');
  await first.close();
  const again = await stage.open(agent, { id: first.id });
  for (const dollars of ['0.25', '0.5', '0.75']) await play(again, `cost ${dollars}`);
  expect(stage.sessions['session-1']).toHaveLength(4);
  expect(again.state.stats['acp-managed']).toMatchObject({ cost: 2.5 });
});

test('P5: a program that lost its session gets the history as text', async () => {
  const stage = new AcpStage();
  const agent = stage.agent([], { instructions: 'Speak like a sailor.' });
  const first = await stage.open(agent);
  await play(first, 'say One');
  await first.close();
  const again = await stage.open(agent, { id: first.id });
  await play(again, 'say Two');
  expect(stage.sessions['session-1']).toEqual(['Speak like a sailor.\nsay One']);
  const [prompt = ''] = stage.sessions['session-2'] ?? [];
  expect(prompt).toMatch(
    /^Speak like a sailor\.\nThis conversation began before this session\.[^]*User: say One\n\nYou: [^]*One\n\nEnd of what was said\.\nsay Two$/,
  );
});

test('a fork, and a branch that the program does not know, begin a session of their own', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['resume']);
  const conversation = await stage.open(agent);
  await play(conversation, 'say One');
  const one = (await conversation.events.at(-1))?.id ?? '';
  await play(conversation, 'say Two');
  const fork = await stage.open(agent, { id: await conversation.history.fork({}) });
  await play(fork, 'say Fork');
  expect(stage.sessions['session-2']?.[0]).toContain('User: say Two');
  await conversation.history.navigateTo(one);
  await play(conversation, 'say Branch');
  expect(stage.sessions['session-3']?.[0]).toContain('You: One');
  expect(stage.sessions['session-3']?.[0]).not.toContain('Two');
  // the message stays, and its answer is dropped
  await conversation.history.navigateTo((await conversation.events.at(-2))?.id ?? '');
  await conversation.run();
  expect(stage.sessions['session-4']?.[0]).toMatch(/You: One[^]*\nsay Branch$/);
});

test('P4: a tool call that a dead process left open ends as failed', async () => {
  const stage = new AcpStage();
  const agent = stage.agent(['resume']);
  const first = await stage.open(agent);
  await first.sendMessage('begin Haul\nwait');
  first.run().catch(() => undefined);
  await begun(first);
  // as after a crash: the end of the turn is not stored
  await first.close();
  const again = await stage.open(agent, { id: first.id });
  await again.run();
  expect((await told(again)).filter((line) => line.startsWith('tool'))).toEqual([
    'tool: Haul pending',
    'tool: Haul failed',
  ]);
});
