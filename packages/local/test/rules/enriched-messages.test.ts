import { SECRET_MASK, type Agent, type Enrichment } from '@conv/core';
import { isEvent, isText, textContent, type EventOfKind } from '@conv/core/events';
import { toCommitSeq } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { gate, open, play, texts, type Bench } from '../support/bench.ts';
import { FakeVault } from '../support/fake-vault.ts';
import { ScriptedAgent, type Request, type Script } from '../support/scripted-agent.ts';

type Enrich = NonNullable<Agent['enrich']>;

/** A skill for each word in capitals, and the same suffix each time. */
const byCapitals: Enrich = (text, { activated }) => {
  const names = [...new Set<string>(text.match(/\b[A-Z]+\b/g) ?? [])].filter((name) => !activated.includes(name));
  return { extendedContent: [...names.map((name) => `about ${name}`), 'be brief'], activatedSkills: names };
};

function enriching(script: Script = {}, enrich: Enrich = byCapitals): ScriptedAgent {
  return Object.assign(new ScriptedAgent(script), { enrich });
}

type Message = EventOfKind<'MessageEvent'>;

/** Of each message of the user: the names of its skills, and what stands behind it. */
async function added({ conversation }: Pick<Bench, 'conversation'>): Promise<readonly (readonly string[])[]> {
  const events = await conversation.events.slice();
  const messages = events.filter(
    (event): event is Message => isEvent(event, 'MessageEvent') && event.source === 'user',
  );
  return messages.map(({ activated_skills: skills = [], extended_content: content = [] }) => [
    ...skills,
    ...content.filter(isText).map(({ text }) => text),
  ]);
}

describe('what the agent adds to a message', () => {
  test("the agent's addition is in the event that the model reads, and its names are in the same commit", async () => {
    const agent = enriching({ think: ({ view }) => JSON.stringify(view.at(-1)) });
    const { conversation, store } = await play({}, { agent });
    const { id } = await conversation.sendMessage('use GIT and SQL');
    expect(await added({ conversation })).toEqual([['GIT', 'SQL', 'about GIT', 'about SQL', 'be brief']]);
    const reader = await store.read(conversation.id);
    const commits = reader ? await Array.fromAsync(reader.commits({ from: toCommitSeq(0) })) : [];
    const commit = commits.find(({ events }) => events.some((event) => event.id === id));
    expect(commit?.patch?.add?.activatedKnowledgeSkills).toEqual(['GIT', 'SQL']);
    expect(conversation.state.activatedKnowledgeSkills).toEqual(['GIT', 'SQL']);
    await conversation.run();
    expect(await conversation.finalResponse()).toContain('about GIT');
  });

  test('an addition comes once in a conversation, after a reopening too; a note comes with each message', async () => {
    const { conversation, store } = await play({}, { agent: enriching() });
    await Promise.all(['use GIT', 'GIT again'].map((text) => conversation.sendMessage(text)));
    await conversation.close();
    const again = await open(store, { agent: enriching(), id: conversation.id });
    await again.sendMessage('GIT and SQL');
    expect(await added({ conversation: again })).toEqual([
      ['GIT', 'about GIT', 'be brief'],
      ['be brief'],
      ['SQL', 'about SQL', 'be brief'],
    ]);
    expect(again.state.activatedKnowledgeSkills).toEqual(['GIT', 'SQL']);
  });

  test('an addition stays with a message that waits for a call', async () => {
    const working = gate();
    const think = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work'] : 'done');
    const { conversation } = await play({}, { agent: enriching({ think, call: () => working.pass() }) });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.sendMessage('use GIT');
    await conversation.sendMessage('GIT again');
    expect(conversation.state).toMatchObject({ queue: [{}, {}], activatedKnowledgeSkills: ['GIT'] });
    working.open();
    await running;
    expect(await added({ conversation })).toEqual([['be brief'], ['GIT', 'about GIT', 'be brief'], ['be brief']]);
  });

  test("an addition comes behind the message's own content", async () => {
    const { conversation } = await play({}, { agent: enriching() });
    const content = [textContent('use'), textContent('GIT')];
    await conversation.sendMessage({ role: 'user', content, thinking_blocks: [] });
    expect(await added({ conversation })).toEqual([['GIT', 'about GIT', 'be brief']]);
    expect(await texts(conversation)).toEqual(['useGIT']);
  });

  test('P9: an addition to a message is masked before it is stored', async () => {
    const agent = enriching({}, () => ({ extendedContent: ['it is correct-horse-battery'], activatedSkills: [] }));
    const options = { agent, secrets: { TOKEN: 'correct-horse-battery' } };
    const { conversation } = await play({}, options, { secrets: (vault) => new FakeVault(vault) });
    await conversation.sendMessage('go');
    expect(await added({ conversation })).toEqual([[`it is ${SECRET_MASK}`]]);
  });

  test('P13: an invalid message gets no addition, and nothing is stored when an addition fails', async () => {
    let asked = 0;
    const fail = (): Enrichment => {
      asked += 1;
      throw new RangeError('no skills today');
    };
    const { conversation } = await play({}, { agent: enriching({}, fail) });
    const wrong = { role: 'user', content: 7 } as never;
    await expect(conversation.sendMessage(wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(asked).toBe(0);
    await expect(conversation.sendMessage('go')).rejects.toThrow('no skills today');
    expect(conversation.events.length).toBe(0);
    expect(conversation.state.activatedKnowledgeSkills).toEqual([]);
  });
});
