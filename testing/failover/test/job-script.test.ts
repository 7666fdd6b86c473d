import { Random } from '@conv/testing-harness';
import { createModelServer, type ModelRequest, type Turn } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { jobMessage } from '../src/model/job.ts';
import { jobScript } from '../src/model/job-script.ts';
import { markIn, Witness } from '../src/model/witness.ts';

interface Answer {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

/** A conversation with the model that answers every call. */
class Asking {
  readonly #url: string;
  readonly messages: object[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async ask(...more: readonly object[]): Promise<Answer> {
    this.messages.push(...more);
    const tools = [{ type: 'function', function: { name: 'terminal', parameters: { type: 'object' } } }];
    const body = JSON.stringify({ model: 'any', messages: this.messages, tools });
    const response = await fetch(`${this.#url}/chat/completions`, { method: 'POST', body });
    const { choices } = (await response.json()) as { readonly choices: readonly { readonly message: Answer }[] };
    return (choices[0] as { readonly message: Answer }).message;
  }

  keep(answer: Answer): void {
    this.messages.push({ role: 'assistant', ...answer });
    for (const { id } of answer.tool_calls ?? []) this.messages.push({ role: 'tool', tool_call_id: id, content: 'ok' });
  }
}

async function asking(): Promise<Asking> {
  const witness = new Witness('/witness');
  const plan = { random: new Random(1), witness, thinking: 0, breakage: null };
  const script = jobScript(plan) as (request: ModelRequest) => Turn;
  const server = await createModelServer({ script: (request) => script(request) });
  onTestFinished(() => server.close());
  return new Asking(server.url);
}

test('a job takes as many steps as it says, each with a command of its own, and then is done', async () => {
  const model = await asking();
  const marks: string[] = [];
  let answer = await model.ask({ role: 'user', content: jobMessage({ name: 'c01/1', steps: 3 }) });
  for (let step = 0; step < 3; step++) {
    for (const { function: made } of answer.tool_calls ?? [])
      marks.push(markIn(JSON.parse(made.arguments).command) ?? '');
    model.keep(answer);
    answer = await model.ask({ role: 'user', content: 'remark' });
  }
  expect(answer.content).toBe('job c01/1 is done');
  expect(marks.length).toBeGreaterThanOrEqual(3);
  expect(new Set(marks).size).toBe(marks.length);
  model.keep(answer);
  expect((await model.ask({ role: 'user', content: 'remark' })).content).toBe('There is nothing left to do.');
});

test('an answer that was lost is given again with another command', async () => {
  const model = await asking();
  const first = await model.ask({ role: 'user', content: jobMessage({ name: 'c01/1', steps: 3 }) });
  const again = await model.ask();
  expect(again.tool_calls?.[0]?.function.arguments).not.toBe(first.tool_calls?.[0]?.function.arguments);
});
