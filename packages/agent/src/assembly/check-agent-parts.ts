import { checks, describeValue } from '@conv/core';

import { builtInTools } from '../tools/built-in-tools.ts';
import { AgentError } from '../base/agent-error.ts';
import { hasMethods } from '../base/check-members.ts';

/** Values that callers may have given. */
type Given = {
  readonly [
    Name in
      | 'condenser'
      | 'includeDefaultTools'
      | 'skills'
      | 'systemPrompt'
      | 'systemSuffix'
      | 'tools'
      | 'usageId'
      | 'userSuffix'
  ]?: unknown;
};

/** Checks the values of `createAgent`'s options. Throws {@link AgentError} `INVALID_OPTION` that says what was expected. */
export function checkAgentParts(options: Given): void {
  const { tools = [], skills = [], condenser, includeDefaultTools = [] } = options;
  if (!Array.isArray(tools)) throw wrong('tools', 'a list such as [terminal(), fileEditor()]', tools);
  for (const [index, tool] of tools.entries()) checkTool(`tools[${index}]`, tool);
  if (!Array.isArray(skills)) throw wrong('skills', 'a list such as await loadSkills(directory)', skills);
  for (const [index, skill] of skills.entries())
    if (typeof skill !== 'object' || skill === null)
      throw wrong(`skills[${index}]`, 'a skill such as { name, content }', skill);
  for (const name of ['systemPrompt', 'systemSuffix', 'userSuffix', 'usageId'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'string') throw wrong(name, 'a text', options[name]);
  if (condenser !== undefined && condenser !== null && !hasMethods(condenser, ['condense', 'describe']))
    throw wrong('condenser', 'llmSummarizingCondenser(), or null for none', condenser);
  const names = Object.keys(builtInTools);
  const isBuiltIn = (name: unknown): boolean => typeof name === 'string' && names.includes(name);
  if (!Array.isArray(includeDefaultTools) || !includeDefaultTools.every(isBuiltIn))
    throw wrong('includeDefaultTools', `a list of ${names.join(', ')}`, includeDefaultTools);
}

function checkTool(place: string, tool: unknown): void {
  if (typeof tool === 'function')
    throw new AgentError(
      'INVALID_OPTION',
      `createAgent: ${place}: expected a tool, found ${describeValue(tool)}; call it, such as ${tool.name || 'terminal'}()`,
    );
  if ([['provide'], ['create'], ['execute', 'parse']].some((methods) => hasMethods(tool, methods))) return;
  throw wrong(place, 'a tool such as terminal() or defineTool({ … })', tool);
}

function wrong(name: string, expected: string, found: unknown): AgentError {
  return new AgentError('INVALID_OPTION', checks.wrongValue(`createAgent: ${name}`, expected, found));
}
