import {
  call,
  calls,
  createModelServer,
  hang,
  lastUserText,
  type ModelServer,
  say,
  toolResults,
} from '@conv/testing-model-server';

/**
 * A model for chats: it calls the terminal with the commands in backticks of the last message and tells the last output; without a command
 * it repeats the message. The text behind `delegate` is a task for a sub-agent. `think` never answers. `risk` in a message is the risk that it gives its call.
 */
export function chatModel(): Promise<ModelServer> {
  return createModelServer({
    script: (request) => {
      const user = lastUserText(request);
      const commands = [...user.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);
      const [command] = commands;
      const result = toolResults(request, 'since-last-user-message').at(-1);
      const [, risk = 'LOW'] = /risk (LOW|MEDIUM|HIGH)/.exec(user) ?? [];
      const [, task] = /^delegate ([^]+)/.exec(user) ?? [];
      if (task !== undefined && result === undefined)
        return call('task', { prompt: task, description: 'a small look' });
      if (command === undefined && user.startsWith('think')) return hang(say('I wonder whether this'));
      if (command === undefined) return say(`You said: ${user}`);
      const asked = (one: string) => ({ command: one, security_risk: risk, summary: 'as asked' });
      if (result === undefined && commands.length > 1)
        return calls(commands.map((one) => ({ name: 'terminal', arguments: asked(one) })));
      if (result === undefined) return call('terminal', asked(command));
      return say(`It printed: ${result.text.split('\n')[0]}`);
    },
  });
}

/** Returns the environment in which programs find this model. */
export function environmentOf({ url }: ModelServer): Record<string, string> {
  return { LLM_MODEL: 'openai/scripted', LLM_API_KEY: 'a-key-for-tests', LLM_BASE_URL: url };
}
