import { createAgent, loadProjectSkills, openaiCompatible } from '@conv/agent';

import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';

const MEMORY = '.openhands/memory/MEMORY.md';

const readsKey: Attempt['escaped'] = ({ key }, output) => output.includes(key);

/** Attempts of an agent that leaves files in its workspace which this process reads for the next prompt. */
export const PROMPTING: readonly Attempt[] = [
  {
    name: 'have a key in the next prompt by a link in the place of the memory',
    act: async (world) => `${await planted(world, MEMORY, 'settings/secret.key')}${await promptOf(world)}`,
    escaped: readsKey,
  },
  {
    name: 'have a key in the next prompt by a link in the place of the instructions of the project',
    act: async (world) => `${await planted(world, 'AGENTS.md', 'settings/secret.key')}${await skillsOf(world)}`,
    escaped: readsKey,
  },
];

/** Puts a link to a file of the world into the workspace, and reads it, as an agent's command. */
function planted(world: World, path: string, file: Parameters<World['path']>[0]): Promise<string> {
  return world.run(`mkdir -p "$(dirname ${path})"; ln -s ${world.path(file)} ${path}; cat ${path}`);
}

/** Resolves with the prompt of the next conversation in the workspace. */
async function promptOf({ session }: World): Promise<string> {
  const agent = createAgent({
    model: openaiCompatible('none', { baseUrl: 'http://127.0.0.1:1', apiKey: 'none' }),
    description: { agent_context: { load_memory: true } },
  });
  const started = await agent.start(session);
  try {
    return JSON.stringify(started.systemPrompt());
  } finally {
    await started.close();
  }
}

/** Resolves with the skills of the workspace, or with the refusal to read them. */
async function skillsOf({ workspace }: World): Promise<string> {
  return loadProjectSkills(workspace).then(JSON.stringify, String);
}
