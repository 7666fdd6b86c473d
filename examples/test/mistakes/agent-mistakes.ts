// Mistakes with agents, models, skills and analyzers.
import * as agent from '@conv/agent';
import * as tool from '@conv/core/tool';
import { terminal } from '@conv/tools';
import { join } from 'node:path';

import { folder, file, wrong, model, Local, weather, type Anything, type Mistake } from './setting.ts';

/** Mistakes with agents, models, skills and analyzers. */
export const agentMistakes: readonly Mistake[] = [
  [
    () => agent.createAgent(wrong(undefined)),
    '[INVALID_OPTION] createAgent: expected an object with the options …, found nothing',
  ],
  [
    () => agent.createAgent(wrong({})),
    "model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found nothing",
  ],
  [
    () => agent.createAgent(wrong({ model: 'gpt-5' })),
    "model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found a string",
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [terminal] })),
    '[INVALID_OPTION] createAgent: tools[0]: expected a tool, found the function terminal; call it, such as terminal()',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: terminal() })),
    '[INVALID_OPTION] createAgent: tools: expected a list such as [terminal(), fileEditor()], found an object',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: ['terminal'] })),
    '[INVALID_OPTION] createAgent: tools[0]: expected a tool such as terminal() or defineTool({ … }), found a string',
  ],
  [
    async () =>
      (
        await Local.create({ agent: agent.createAgent({ model, tools: [terminal(), terminal()] }), workspace: folder })
      ).run(),
    '[DUPLICATE_TOOL] two tools are named "terminal"; rename one of them',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [{ name: 'x', execute: () => 1 }] })),
    '[INVALID_OPTION] createAgent: tools[0]: expected a tool such as terminal() or defineTool({ … }), found an object',
  ],
  [
    () => agent.createAgent({ model, tools: [tool.defineTool(weather), tool.defineTool(weather)] }),
    '[DUPLICATE_TOOL] two tools are named "weather"; rename one of them',
  ],
  [
    () => agent.createAgent({ model, tools: [tool.defineTool({ ...weather, name: 'finish' })] }),
    '[DUPLICATE_TOOL] the name "finish" is reserved for the built-in tool; give this tool another name',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [undefined] })),
    '[INVALID_OPTION] createAgent: tools[0]: expected a tool such as terminal() or defineTool({ … }), found nothing',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [], toolConcurrency: 0 })),
    '[INVALID_OPTION] toolConcurrency: expected a whole number from 1, found 0',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [], systemPrompt: 5 })),
    '[INVALID_OPTION] createAgent: systemPrompt: expected a text, found a number',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [], skills: 'x' })),
    '[INVALID_OPTION] createAgent: skills: expected a list such as await loadSkills(directory), found a string',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [], condenser: 'llm' })),
    '[INVALID_OPTION] createAgent: condenser: expected llmSummarizingCondenser(), or null for none, found a string',
  ],
  [
    () => agent.createModel(wrong({})),
    "model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found nothing",
  ],
  [() => agent.createModel(wrong('gpt-5')), 'createModel: expected an object with the options …, found a string'],
  [
    () => agent.createModel(wrong({ languageModel: 'gpt-5', model: 'gpt-5' })),
    'createModel: there is no option "model"; the options are …',
  ],
  [() => (agent.openai as unknown as Anything)('gpt-5', {}), '[CONFIG] openai/gpt-5 needs an API key; give { apiKey }'],
  [() => (agent.openai as unknown as Anything)(), "openai: expected the id of a model, such as 'gpt-5', found nothing"],
  [
    () => (agent.openaiCompatible as unknown as Anything)('m', {}),
    '[CONFIG] the base URL of the model is not an http(s) URL; write it with its scheme, as in http://127.0.0.1:8080/v1',
  ],
  [
    () => (agent.openaiCompatible as unknown as Anything)('m', { baseUrl: 'localhost:1234' }),
    '[CONFIG] the base URL of the model is not an http(s) URL; write it with its scheme, as in http://127.0.0.1:8080/v1',
  ],
  [() => agent.modelFromEnvironment({}), '[CONFIG] LLM_MODEL is not set: name a model, such as openai/gpt-5'],
  [
    () => agent.modelFromEnvironment({ LLM_MODEL: 'openai/gpt-5' }),
    '[CONFIG] LLM_API_KEY is not set: openai/gpt-5 needs a key, or LLM_BASE_URL an endpoint without one',
  ],
  [
    () => agent.modelFromEnvironment({ LLM_MODEL: 'opnai/gpt-5', LLM_API_KEY: 'x' }),
    '[CONFIG] opnai/gpt-5: provider "opnai" is not known; a base URL is needed',
  ],
  [
    () => agent.modelFromEnvironment({ LLM_MODEL: 'openai/gpt-5', LLM_API_KEY: 'x', LLM_BASE_URL: 'localhost:1234' }),
    '[CONFIG] LLM_BASE_URL is not an http(s) URL; write it with its scheme, as in http://127.0.0.1:8080/v1',
  ],
  [
    () => (agent.withFallbacks as unknown as Anything)(),
    "model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found nothing",
  ],
  [
    () => (agent.withFallbacks as unknown as Anything)('gpt', 'x'),
    "model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found a string",
  ],
  [
    () => (agent.llmSummarizingCondenser as unknown as Anything)({ model, maxSize: 1 }),
    '[INVALID_OPTION] maxSize of the condenser must be a whole number from 4, got 1',
  ],
  [
    () => (agent.modelProfiles as unknown as Anything)('x'),
    '[INVALID_OPTION] modelProfiles: expected an object with the options …, found a string',
  ],
  [
    () => agent.loadSkills(join(folder, 'nope')),
    '[INVALID_SKILL] skill folder <folder>/nope: there is no such folder; create it, or name another',
  ],
  [
    () => agent.loadAgentDefinitions(join(folder, 'nope')),
    '[INVALID_AGENT] agent folder <folder>/nope: there is no such folder; create it, or name another',
  ],
  [
    () => agent.loadSkills(join(file('skills/bad/SKILL.md', '---\nname: [\n---\nx'), '../..')),
    '[INVALID_SKILL] skill <folder>/skills/bad/SKILL.md: line 2 of its front matter is not YAML (BAD_INDENT); correct it',
  ],
  [
    () => agent.loadAgentDefinitions(join(file('agents/bad.md', '---\nname: [\n---\nx'), '..')),
    '[INVALID_AGENT] agent <folder>/agents/bad.md: line 2 of its front matter is not YAML (BAD_INDENT); correct it',
  ],
  [
    () => (agent.loadAgentDefinitions as unknown as Anything)(),
    '[INVALID_AGENT] loadAgentDefinitions: expected the path of a folder, found nothing',
  ],
  [
    () => (agent.patternSecurityAnalyzer as unknown as Anything)({ patterns: ['('] }),
    '[INVALID_OPTION] patternSecurityAnalyzer: there is no option "patterns"; the options are …',
  ],
  [
    () => (agent.patternSecurityAnalyzer as unknown as Anything)({ highPatterns: ['('] }),
    '[INVALID_OPTION] patternSecurityAnalyzer: there is no option "highPatterns"; the options are …',
  ],
  [
    () => (agent.ensembleSecurityAnalyzer as unknown as Anything)({ analyzers: [] }),
    '[INVALID_OPTION] an ensemble needs at least one analyzer',
  ],
  [
    () => (agent.patternSecurityAnalyzer as unknown as Anything)({ high: 'rm' }),
    "[INVALID_OPTION] patternSecurityAnalyzer: high: expected a list such as [{ pattern: 'deploy', reason: 'Deploys.', id: 'own.deploy' }], found a string",
  ],
  [
    () => (agent.patternSecurityAnalyzer as unknown as Anything)({ high: ['rm'] }),
    "[INVALID_OPTION] patternSecurityAnalyzer: high[0]: expected an object such as { pattern: 'deploy', reason: 'Deploys.', id: 'own.deploy' }, found a string",
  ],
  [
    () => (agent.patternSecurityAnalyzer as unknown as Anything)({ medium: [/rm/] }),
    "[INVALID_OPTION] patternSecurityAnalyzer: medium[0]: expected an object such as { pattern: 'deploy', reason: 'Deploys.', id: 'own.deploy' }, found an object of RegExp; give its source",
  ],
  [
    () => (agent.patternSecurityAnalyzer as unknown as Anything)({ high: [{ regex: 'rm' }] }),
    '[INVALID_OPTION] patternSecurityAnalyzer: high[0]: there is no option "regex"; the options are …',
  ],
  [
    () => (agent.patternSecurityAnalyzer as unknown as Anything)({ high: [{ pattern: 'rm' }] }),
    "[INVALID_OPTION] patternSecurityAnalyzer: high[0].reason: expected a text, as in { pattern: 'deploy', reason: 'Deploys.', id: 'own.deploy' }, found nothing",
  ],
  [
    () => (agent.withFallbacks as unknown as Anything)(model, model),
    "withFallbacks: fallbacks: expected a list such as [anthropic('claude-opus-4-1', { apiKey })], found an object",
  ],
  [
    () => (agent.ensembleSecurityAnalyzer as unknown as Anything)({ analyzers: agent.patternSecurityAnalyzer() }),
    '[INVALID_OPTION] ensembleSecurityAnalyzer: analyzers: expected a list such as [patternSecurityAnalyzer(), llmSecurityAnalyzer()], found an object',
  ],
  [
    () => (agent.ensembleSecurityAnalyzer as unknown as Anything)({ analyzers: ['PatternSecurityAnalyzer'] }),
    '[INVALID_OPTION] ensembleSecurityAnalyzer: analyzers[0]: expected an analyzer such as patternSecurityAnalyzer(), found a string',
  ],
  [
    () => (agent.ensembleSecurityAnalyzer as unknown as Anything)({ analyzers: [agent.patternSecurityAnalyzer] }),
    '[INVALID_OPTION] ensembleSecurityAnalyzer: analyzers[0]: expected an analyzer such as patternSecurityAnalyzer(), found the function patternSecurityAnalyzer; call it, such as patternSecurityAnalyzer()',
  ],
  [
    () => (agent.pipelineCondenser as unknown as Anything)(agent.llmSummarizingCondenser({ model })),
    '[INVALID_OPTION] pipelineCondenser: condensers: expected a list such as [llmSummarizingCondenser()], found an object',
  ],
  [
    () => (agent.taskTool as unknown as Anything)({ agents: 'agents' }),
    '[INVALID_OPTION] taskTool: agents: expected a list such as await loadAgentDefinitions(directory), found a string',
  ],
  [
    () => (agent.openai as unknown as Anything)('gpt-5', { apiKey: 5 }),
    '[CONFIG] apiKey of openai/gpt-5: expected the key as a text, found a number',
  ],
  [
    () => (agent.loadProjectSkills as unknown as Anything)(5),
    '[INVALID_SKILL] loadProjectSkills: expected the path of a folder, found a number',
  ],
  [
    () => (agent.loadProjectAgentDefinitions as unknown as Anything)(),
    '[INVALID_AGENT] loadProjectAgentDefinitions: expected the path of a folder, found nothing',
  ],
  [
    () => (agent.modelProfiles as unknown as Anything)({}),
    '[INVALID_OPTION] modelProfiles: directory: expected the path of a folder, or objects in its place, found nothing',
  ],
  [
    () => agent.createAgent(wrong({ model, tools: [], skills: ['x'] })),
    '[INVALID_OPTION] createAgent: skills[0]: expected a skill such as { name, content }, found a string',
  ],
];
