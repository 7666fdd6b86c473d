import { mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeSkill, describeSubAgent, isAgentError, loadPlugin } from '../../src/index.ts';
import { folderOf } from '../support/folder-of.ts';

const MANIFEST = JSON.stringify({ name: 'weather', version: '2.0.0', description: 'Weather.', author: 'Ann <a@b.c>' });

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.unreachable('it was taken'),
    (error: unknown) => error as Error,
  );
}

describe('a plugin', () => {
  test('a plugin brings skills, commands, sub-agents, hooks and MCP servers', async () => {
    await using folder = await folderOf({
      '.plugin/plugin.json': MANIFEST,
      'skills/radar/SKILL.md': '---\ndescription: Reads radar.\n---\nLook at it.',
      'skills/clouds.md': '---\ntriggers: [cloud]\n---\nClouds are high.',
      'skills/README.md': 'about',
      'commands/now.md':
        '---\ndescription: Tells the weather.\nargument-hint: [city, country]\nallowed-tools: Bash\n---\nAsk.',
      'agents/forecaster.md': '---\ndescription: Forecasts.\ntools: [terminal]\n---\nForecast.',
      'hooks/hooks.json': JSON.stringify({
        description: 'Checks.',
        hooks: {
          PreToolUse: [
            { matcher: 'terminal', hooks: [{ type: 'command', command: '${CLAUDE_PLUGIN_ROOT}/check.sh' }] },
          ],
          Notification: [],
        },
      }),
      '.mcp.json': JSON.stringify({
        mcpServers: {
          local: { command: '${SKILL_ROOT}/serve', args: ['--key', '${TOKEN}'], env: { A: '${A:-b}' } },
          far: { type: 'http', url: 'https://example.org/mcp' },
          wrong: { command: 5 },
        },
      }),
    });
    const plugin = await loadPlugin(folder.path);
    const root = plugin.directory;
    expect(plugin).toMatchObject({ name: 'weather', version: '2.0.0', description: 'Weather.' });
    expect(plugin.skills.map(({ name }) => name)).toEqual(['clouds', 'radar', 'weather:now']);
    expect(describeSkill(plugin.skills[1] as never)).toMatchObject({
      is_agentskills_format: true,
      content: 'Look at it.',
    });
    expect(plugin.skills[2]).toMatchObject({
      content: '## now\n\nTells the weather.\n\n**Arguments**: `$ARGUMENTS` - city country\n\n\nAsk.',
      description: 'Tells the weather.',
      trigger: { type: 'keyword', keywords: ['/weather:now'] },
    });
    expect(plugin.agents.map(describeSubAgent)).toMatchObject([
      { name: 'forecaster', description: 'Forecasts.', tools: ['terminal'], system_prompt: 'Forecast.' },
    ]);
    expect(plugin.hooks).toMatchObject({
      pre_tool_use: [{ matcher: 'terminal', hooks: [{ command: `${root}/check.sh` }] }],
    });
    expect(plugin.mcpServers).toEqual({
      local: { command: `${root}/serve`, args: ['--key', '${TOKEN}'], env: { A: '${A:-b}' } },
      far: { transport: 'http', url: 'https://example.org/mcp' },
    });
    expect(plugin.problems).toEqual([
      expect.stringContaining('hooks.json: Notification: there is no such moment here'),
      expect.stringContaining('.mcp.json: mcpServers.wrong: command'),
    ]);
  });

  test('a portable plugin has its own parts in the folder of OpenHands, and another schema is refused', async () => {
    const schema = 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json';
    await using folder = await folderOf({
      'plugin.json': JSON.stringify({ $schema: schema, name: 'weather', version: '3.0.0' }),
      'mcp.json': '{"mcpServers":{"files":{"command":"${PLUGIN_ROOT}/serve"}}}',
      '.mcp.json': '{"mcpServers":{"other":{"command":"x"}}}',
      'skills/radar/SKILL.md': 'Radar.',
      'dev.openhands/commands/now.md': 'Now.',
      'commands/other.md': 'Not here.',
      'dev.openhands/agents/one.md': '---\ndescription: One.\n---\nOne.',
      'dev.openhands/hooks/hooks.json': '{"stop":[{"hooks":[{"command":"true"}]}]}',
    });
    const plugin = await loadPlugin(folder.path);
    expect(plugin).toMatchObject({ name: 'weather', version: '3.0.0', agents: [{ name: 'one' }], problems: [] });
    expect(plugin.skills.map(({ name }) => name)).toEqual(['radar', 'weather:now']);
    expect(plugin.mcpServers).toEqual({ files: { command: `${plugin.directory}/serve` } });
    expect(plugin.hooks).toMatchObject({ stop: [{ hooks: [{ command: 'true' }] }] });
    await using other = await folderOf({ 'plugin.json': '{"$schema":"https://example.org/x","name":"a"}' });
    expect(isAgentError(await failure(loadPlugin(other.path)), 'INVALID_PLUGIN')).toBe(true);
    await using foreign = await folderOf({ 'plugin.json': '{"name":"copilot"}', 'commands/go.md': 'Go.' });
    expect((await loadPlugin(foreign.path)).skills).toHaveLength(1);
  });

  test('a plugin without a manifest has the name of its folder, and may itself be a skill', async () => {
    await using folder = await folderOf({ 'one/SKILL.md': 'No front matter.', 'two/notes.txt': 'x' });
    const one = await loadPlugin(join(folder.path, 'one'));
    expect(one).toMatchObject({ name: 'one', version: '1.0.0', skills: [{ name: 'one', listed: true }], problems: [] });
    expect(one).not.toHaveProperty('hooks');
    expect(await loadPlugin(join(folder.path, 'two'))).toMatchObject({ skills: [], mcpServers: {}, agents: [] });
  });

  test('a plugin with parts that cannot be read has the others, and says which', async () => {
    await using folder = await folderOf({
      '.claude-plugin/plugin.json': MANIFEST,
      'skills/bad/SKILL.md': '---\ntriggers: 5\n---\nText.',
      'skills/empty/SKILL.md': '---\ndescription: Nothing.\n---\n',
      'skills/good/SKILL.md': 'Text.',
      'commands/empty.md': '---\nx: 1\n---\n',
      'commands/with space.md': 'Text.',
      'agents/none.md': 'No description.',
      'hooks/hooks.json': '{"PreToolUse": [{"hooks": [{"type": "command"}]}]}',
      '.mcp.json': '{',
    });
    const plugin = await loadPlugin(folder.path);
    expect(plugin).toMatchObject({ name: 'weather', skills: [{ name: 'good' }], agents: [], mcpServers: {} });
    expect(plugin).not.toHaveProperty('hooks');
    const named = ['bad', 'empty', 'empty.md', 'with space.md', 'none.md', 'hooks.json', '.mcp.json'];
    expect(plugin.problems).toHaveLength(named.length);
    for (const name of named) expect(plugin.problems.join('\n')).toContain(name);
  });

  test('a plugin reads no file through a link that leads out of it', async () => {
    await using outside = await folderOf({
      'SKILL.md': 'secret',
      'plugin.json': MANIFEST,
      '.mcp.json': '{"mcpServers":{}}',
    });
    await using folder = await folderOf({ 'skills/one.md': 'Text.', 'skills/far/x': '' });
    await symlink(join(outside.path, 'SKILL.md'), join(folder.path, 'skills/far/SKILL.md'));
    await symlink(join(outside.path, '.mcp.json'), join(folder.path, '.mcp.json'));
    const plugin = await loadPlugin(folder.path);
    expect(plugin.skills.map(({ name }) => name)).toEqual(['one']);
    expect(plugin.problems).toHaveLength(2);
    await mkdir(join(folder.path, '.plugin'));
    await symlink(join(outside.path, 'plugin.json'), join(folder.path, '.plugin/plugin.json'));
    expect(isAgentError(await failure(loadPlugin(folder.path)), 'INVALID_PLUGIN')).toBe(true);
  });

  test('a plugin that is not there, or has a manifest without a usable name, is refused', async () => {
    await using folder = await folderOf({
      'json/.plugin/plugin.json': '{',
      'list/.plugin/plugin.json': '[]',
      'none/.plugin/plugin.json': '{"version":"1"}',
      'slash/.plugin/plugin.json': '{"name":"../x"}',
      file: '',
    });
    for (const name of ['json', 'list', 'none', 'slash', 'file', 'absent']) {
      const error = await failure(loadPlugin(join(folder.path, name)));
      expect([name, isAgentError(error, 'INVALID_PLUGIN'), error.message.includes(name)]).toEqual([name, true, true]);
    }
    expect(basename(folder.path)).not.toBe('');
  });
});
