import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent, createAgentFactory, loadProjectSkills, openaiCompatible } from '@conv/agent';
import { createConversationFactory, type Conversation } from '@conv/core';
import { isEvent, isText } from '@conv/core/events';
import { toConversationKey } from '@conv/core/store';
import { local, type LocalConversationOptions } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { calls, createModelServer, say, type ScriptedCall } from '@conv/testing-model-server';
import { fileEditor } from '@conv/tools';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';

const RULE = '---\npaths: ["*.sql", "!legacy/**"]\n---\nNever write SELECT *.\n';

/** A conversation in `folder`, closed at the end of the test. Without an agent the stored one is built again. */
async function open(folder: string, options: LocalConversationOptions): Promise<Conversation> {
  const runtime = local({
    storeAt: (directory) => new FsStore({ directory }),
    agents: createAgentFactory({ tools: { file_editor: () => fileEditor() } }),
  });
  const make = createConversationFactory({ runtimes: [runtime] });
  const persistenceDir = join(folder, 'conversations');
  const conversation = await make({ ...options, workspace: join(folder, 'project'), persistenceDir });
  onTestFinished(() => conversation.close());
  return conversation;
}

/** Returns the rules added to each result. */
async function rulesIn(conversation: Conversation): Promise<readonly (readonly string[])[]> {
  const events = await Array.fromAsync(conversation.events);
  return events.flatMap((event) =>
    isEvent(event, 'ObservationEvent')
      ? [(event.extended_content ?? []).filter(isText).map(({ text }) => text.match(/Name: (\w+)/)?.[1] ?? text)]
      : [],
  );
}

test('a rule of the project comes once, with its first file, for calls at once, restarts and forks too', async () => {
  const folder = newFolder();
  const project = join(folder, 'project');
  mkdirSync(join(project, '.agents', 'skills'), { recursive: true });
  mkdirSync(join(project, 'legacy'));
  writeFileSync(join(project, '.agents', 'skills', 'sql.md'), RULE);
  for (const name of ['a.sql', 'b.sql', 'c.sql', 'notes.md', 'legacy/old.sql'])
    writeFileSync(join(project, name), 'SELECT 1;');
  const view = (name: string): ScriptedCall => ({
    name: 'file_editor',
    arguments: { command: 'view', path: join(project, name) },
  });
  const server = await createModelServer({
    script: [
      calls([view('notes.md'), view('legacy/old.sql')]),
      calls([view('a.sql'), view('b.sql')]),
      say('Seen.'),
      calls([view('c.sql')]),
      say('Seen again.'),
      calls([view('c.sql')]),
      say('Seen in the fork.'),
    ],
  });
  onTestFinished(() => server.close());
  const agent = createAgent({
    model: openaiCompatible('scripted-model', { baseUrl: server.url }),
    skills: await loadProjectSkills(project),
    tools: [fileEditor()],
    toolConcurrency: 4,
  });

  const first = await open(folder, { create: 'must', agent });
  await first.sendMessage('Look at the files.');
  await first.run();
  const rules = await rulesIn(first);
  expect(rules.slice(0, 2)).toEqual([[], []]);
  expect(rules.slice(2).flat()).toEqual(['sql']);
  const read = server.requests[2]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
  expect(read?.filter((text) => text.includes('Never write SELECT *.'))).toHaveLength(1);
  expect(first.state.activatedPathRules).toEqual(['sql']);
  await first.close();
  const base = join(folder, 'conversations', toConversationKey(first.id), 'base_state.json');
  expect(JSON.parse(readFileSync(base, 'utf8'))).toMatchObject({ activated_path_rules: ['sql'] });

  const again = await open(folder, { id: first.id, create: 'never' });
  await again.sendMessage('And the last one.');
  await again.run();
  expect((await rulesIn(again)).slice(4)).toEqual([[]]);
  const fork = await open(folder, { id: await again.history.fork(), create: 'never' });
  await fork.sendMessage('Again.');
  await fork.run();
  expect((await rulesIn(fork)).slice(5)).toEqual([[]]);
  expect(fork.state.activatedPathRules).toEqual(['sql']);
  expect(server.violations).toEqual([]);
});
