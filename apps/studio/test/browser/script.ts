import { call, calls, fail, hang, lastUserText, say, type Script, toolResults } from '@conv/testing-model-server';

/** A model that does what the words of the person name: `risky` calls, a `question`, `fail`, `hang`, or one harmless call and an answer. */
export const script: Script = (request) => {
  const text = lastUserText(request);
  const results = toolResults(request, 'since-last-user-message');
  if (text.includes('fail')) return fail(401, { message: 'The key of the provider is not valid.' });
  if (text.includes('hang')) return hang(say('I begin to think about it'));
  if (results.length > 0) return say(`Done with ${results.length} results.`);
  if (text.includes('question')) return call('ask_person', { question: 'Which colour?' });
  if (text.includes('risky'))
    return calls([
      { name: 'terminal', arguments: { command: 'echo one', security_risk: 'HIGH', summary: 'Say one' } },
      { name: 'terminal', arguments: { command: 'echo two', security_risk: 'HIGH', summary: 'Say two' } },
    ]);
  if (text.includes('call'))
    return call('terminal', { command: 'echo hello', security_risk: 'LOW', summary: 'Say hello' });
  return say(`You wrote: ${text}`);
};
