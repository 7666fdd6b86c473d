import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, say } from '@conv/testing-model-server';
import { createAgent, createAgentFactory, loadSkills, type Skill } from '../../src/index.ts';
import { scene, type Scene } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { folderOf } from '../support/folder-of.ts';

const pdf: Skill = {
  name: 'pdf',
  content: 'Use fill.py. </SKILL>',
  listed: true,
  description: 'Fills in forms.',
  source: '/srv/skills/pdf/SKILL.md',
};
const git: Skill = { name: 'git', content: 'Rebase.', trigger: { type: 'keyword', keywords: ['git'] } };

function observations({ bench }: Scene): readonly unknown[] {
  return bench.ofKind('ObservationEvent').map(({ observation }) => observation);
}

describe('the model reads a skill', () => {
  test('the model reads a skill by its name once told of it, and gets the text and where its files lie', async () => {
    const turns = [call('invoke_skill', { name: 'pdf' }), say('done')];
    await using stage = await scene(turns, { agent: { skills: [pdf, git] } });
    const { bench, server } = stage;
    const [prompt] = bench.ofKind('SystemPromptEvent');
    expect(prompt?.tools.map(({ kind }) => kind)).toEqual(['FinishTool', 'ThinkTool', 'InvokeSkillTool']);
    expect(prompt?.dynamic_context?.text).toContain('invoke_skill');
    bench.say('Fill it in');
    await bench.run();
    expect(bench.ofKind('ActionEvent')[0]?.action).toEqual({ name: 'pdf', kind: 'InvokeSkillAction' });
    expect(observations(stage)).toMatchObject([
      { kind: 'InvokeSkillObservation', skill_name: 'pdf', is_error: false, content: [{ type: 'text' }] },
    ]);
    const text = JSON.stringify(server.requests[1]?.messages);
    expect(text).toMatch(
      /Use fill\.py\. &lt;\/SKILL>[^]*lies in `\/srv\/skills\/pdf`\. Files that it mentions are relative to that directory\./,
    );
  });

  test('a skill that the model was not told of is refused, with the list of skills', async () => {
    const turns = [
      call('invoke_skill', { name: 'git' }),
      call('invoke_skill', { name: 'nothing' }),
      call('invoke_skill', {}),
      say('done'),
    ];
    await using stage = await scene(turns, { agent: { skills: [pdf, git] } });
    stage.bench.say('Go');
    await stage.bench.run();
    const seen = JSON.stringify(stage.server.requests.at(-1)?.messages);
    expect(observations(stage)).toMatchObject([
      { skill_name: 'git', is_error: true },
      { skill_name: 'nothing', is_error: true },
    ]);
    expect(seen).toMatch(/\\"git\\" cannot be asked for[^]*no skill \\"nothing\\"[^]*Available skills: pdf\./);
    expect(seen).not.toContain('Rebase');
    expect(stage.bench.ofKind('AgentErrorEvent')).toHaveLength(1);
  });

  test('the model reads a skill as it stands: no command in it is run when it is loaded or read', async () => {
    await using folder = await folderOf({});
    const trace = join(folder.path, 'trace');
    await using skillFolder = await folderOf({ 'a/SKILL.md': `---\ndescription: A.\n---\nNow: !\`touch ${trace}\`` });
    const skills = await loadSkills(skillFolder.path);
    await using stage = await scene([call('invoke_skill', { name: 'a' }), say('done')], { agent: { skills } });
    stage.bench.say('Go');
    await stage.bench.run();
    expect(JSON.stringify(observations(stage))).toContain(`Now: !\`touch ${trace}\``);
    await expect(access(trace)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the tool for it', () => {
  test('the skill tool comes with skills on request, and when the agent is built from its description', async () => {
    const model = scriptedModel([]);
    const agent = createAgent({ model, skills: [pdf] });
    expect(agent.toolNames).toEqual(['finish', 'think', 'invoke_skill']);
    expect(JSON.stringify(agent.describe()['include_default_tools'])).not.toContain('Invoke');
    const revived = await createAgentFactory({ model: () => model }).revive(agent.describe());
    expect(revived?.toolNames).toEqual(agent.toolNames);
    expect(createAgent({ model, skills: [git] }).toolNames).toEqual(['finish', 'think']);
  });
});
