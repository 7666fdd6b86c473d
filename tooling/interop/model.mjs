import { call, calls, createModelServer, fail, say, toolResults } from '@conv/testing-model-server';

/** The key that agents get for it, which no server may tell. */
export const MODEL_KEY = 'sk-interop-model-key-0123456789';

/** Beginning of a message that tells the model what to do; one JSON array on its first line follows. */
const WORD = 'Steps: ';

/**
 * The model of every case: it does what the last message of the user says, one step per answer, and then tells what its tools
 * said. Without steps it repeats the message, so that answers to side questions show what was asked.
 *
 *     Steps: [{"tool":"terminal","arguments":{"command":"ls"}}, {"say":"Listed."}]
 *
 * `{"calls":[…]}` makes several calls in one answer, `{"fail":400}` answers with an error of HTTP.
 */
export function startModel() {
  return createModelServer({ script: answer });
}

/** The message that has the model take these steps. */
export function message(...steps) {
  return `${WORD}${JSON.stringify(steps)}`;
}

function answer(request) {
  if (request.tools.length === 0 && request.messages[0].text.includes('<function=')) return writtenAnswer(request);
  const text = lastText(request);
  const results = toolResults(request, 'since-last-user-message');
  if (!text.startsWith(WORD)) return say(`You said: ${text.slice(-200)}`);
  const steps = JSON.parse(text.slice(WORD.length).split('\n', 1)[0]);
  const step = steps[answersSinceUser(request)];
  if (step === undefined) return say(`Done. ${results.map(({ text: result }) => result).join('\n')}`);
  if ('tool' in step) return call(step.tool, step.arguments ?? {});
  if ('say' in step) return say(step.say);
  if ('fail' in step) return fail(step.fail, { message: 'the model is told to fail' });
  if ('calls' in step) return calls(step.calls.map(({ tool, arguments: given }) => ({ name: tool, arguments: given })));
  throw new TypeError(`no such step: ${JSON.stringify(step)}`);
}

/** The answer of a model that is told of its tools in the system prompt, and writes its calls as text. Results are messages of the user. */
function writtenAnswer({ messages }) {
  const at = messages.findLastIndex(({ role, text }) => role === 'user' && text.includes(WORD));
  const [line] = messages[at].text.slice(messages[at].text.lastIndexOf(WORD) + WORD.length).split('\n', 1);
  const step = JSON.parse(line)[messages.slice(at).filter(({ role }) => role === 'assistant').length];
  if (step === undefined) return say(`Done. ${messages.at(-1).text}`);
  const parameters = Object.entries(step.arguments).map(([name, value]) => `<parameter=${name}>${value}</parameter>\n`);
  return say(`I call it.\n\n<function=${step.tool}>\n${parameters.join('')}`);
}

/** Messages of the user that follow one another may come as parts of one. */
function lastText({ messages }) {
  const { content, text } = messages.findLast(({ role }) => role === 'user');
  return Array.isArray(content) ? (content.findLast(({ text: part }) => typeof part === 'string')?.text ?? '') : text;
}

function answersSinceUser({ messages }) {
  return messages
    .slice(messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'assistant').length;
}
