import { lastUserText, type ModelRequest, toolResults } from './model-request.ts';
import type { Turn } from './turn.ts';
import { call, say } from './turn-builders.ts';

/** Milliseconds between pieces of an answer, so that it can be seen to arrive. */
const PACE = 15;

/**
 * A scripted model for trying out a program: it understands nothing, and says so. It runs the commands in backticks of a message in
 * the terminal, one after the other; without any it lists the folder. `@name {…}` calls the tool of that name.
 */
export function backtickScript(request: ModelRequest): Turn {
  const commands = commandsIn(lastUserText(request));
  const results = toolResults(request, 'since-last-user-message');
  const pace = request.stream ? PACE : 0;
  const next = commands[results.length];
  if (next !== undefined) {
    const { tool, input } = calledIn(next);
    return call(tool, input, { text: `I run ${next}`, chunkDelay: pace });
  }
  const last = results.at(-1)?.text.trim().split('\n')[0] ?? '';
  const ran = `${results.length} command${results.length === 1 ? '' : 's'}`;
  return say(
    `I am a script, not a model. I ran ${ran}; the last result begins with: ${last}. ` +
      'I run the commands in backticks in a message. For a model that understands you, set LLM_MODEL and LLM_API_KEY.',
    { chunkDelay: pace },
  );
}

function commandsIn(text: string): readonly string[] {
  const found = [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);
  return found.length > 0 ? found : ['ls -la'];
}

function calledIn(command: string): { readonly tool: string; readonly input: object } {
  const [, tool = '', input = '{}'] = /^@([\w-]+)(?:\s+(\{[^]*\}))?$/.exec(command) ?? [];
  const parsed = tool === '' ? undefined : objectIn(input);
  return parsed === undefined ? { tool: 'terminal', input: { command } } : { tool, input: parsed };
}

function objectIn(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
