import { call, calls, fail, hang, lastUserText, say, type Script, toolResults } from '@conv/testing-model-server';

/** Prints until there is a file `end`, which a test writes. More than once, because a page that still connects misses output. */
const PRINTS = 'until cat end 2>/dev/null; do echo first line; sleep 0.1; done';

/** A model that does what the words of the person name: `risky` or `wide` calls, a `question`, `fields`, `asks me`, `own tool`, `print`, `fail`, `hang`, or one harmless call and an answer. */
export const script: Script = (request) => {
  const text = lastUserText(request);
  const results = toolResults(request, 'since-last-user-message');
  if (text.includes('fail')) return fail(401, { message: 'The key of the provider is not valid.' });
  if (text.includes('hang')) return hang(say('I begin to think about it'));
  if (results.length > 0) return say(`Done with ${results.length} results.`);
  if (text.includes('fields'))
    return call('ask_user', {
      question: 'What shall I paint?',
      fields: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name of the thing' },
          size: { type: 'integer', minimum: 1, default: 3 },
          colour: { enum: ['red', 'blue'], type: 'string' },
          // a name that an answer has, too
          action: { type: 'string', title: 'Action', default: 'paint' },
          tags: { type: 'array', items: { type: 'string', enum: ['new', 'old'] }, maxItems: 1, default: ['old'] },
        },
        required: ['name'],
      },
    });
  if (text.includes('own tool')) return call('ask_user', { about: 'colour' });
  if (text.includes('asks me')) return call('ask_user', { question: 'Which colour?', choices: ['red', 'blue'] });
  if (text.includes('question')) return call('ask_person', { question: 'Which colour?' });
  if (text.includes('print')) return call('terminal', { command: PRINTS, security_risk: 'LOW', summary: 'Print' });
  if (text.includes('wide'))
    return call('terminal', {
      command: `printf '%s' ${'a-long-word-without-a-space'.repeat(40)} and the end of it`,
      security_risk: 'HIGH',
      summary: 'Print a long word',
    });
  if (text.includes('risky'))
    return calls([
      { name: 'terminal', arguments: { command: 'echo one', security_risk: 'HIGH', summary: 'Say one' } },
      { name: 'terminal', arguments: { command: 'echo two', security_risk: 'HIGH', summary: 'Say two' } },
    ]);
  if (text.includes('call'))
    return call('terminal', { command: 'echo hello', security_risk: 'LOW', summary: 'Say hello' });
  return say(`You wrote: ${text}`);
};
