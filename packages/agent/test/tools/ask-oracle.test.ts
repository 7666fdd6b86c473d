import { type ActionEvent, drafts, type Event, type JsonObject } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';
import { expect, onTestFinished, test } from 'vitest';
import { askOracleTool, createAgent, type Model } from '../../src/index.ts';
import { startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';

interface Asked {
  readonly observation: JsonObject;
  readonly records: readonly CallRecord[];
}

/** Asks the oracle that `load` gives. */
async function ask(load: (name: string) => Promise<Model>, action: JsonObject): Promise<Asked> {
  const records: CallRecord[] = [];
  const askModel: NonNullable<ToolSession['askModel']> = async (question) => {
    const answer = await question();
    records.push(answer.record);
    return answer;
  };
  const bench = await startBench(
    createAgent({ model: scriptedModel([]), tools: [askOracleTool({ profiles: { load } })] }),
    {
      askModel,
    },
  );
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const [event] = bench.append([
    drafts.action({
      action: { kind: 'AskOracleAction', ...action } as never,
      tool_name: 'ask_oracle',
      tool_call_id: 'call',
      tool_call: { id: 'call', name: 'ask_oracle', arguments: '{}', origin: 'completion' },
      llm_response_id: 'response',
    }),
  ]);
  const { signal } = new AbortController();
  const [result] = bench.append([await bench.session.execute(event as ActionEvent, { signal })]);
  return { observation: (result as Event & { readonly observation: JsonObject }).observation, records };
}

test('the model of the profile oracle answers a question with its context, at the cost of the conversation', async () => {
  const oracle = scriptedModel([[{ type: 'text', text: ' Take the second way. ' }]]);
  const loaded: string[] = [];
  const load = async (name: string): Promise<Model> => {
    loaded.push(name);
    return oracle;
  };
  const { observation, records } = await ask(load, { question: 'Which way?', context: 'I tried </context> one.' });
  expect(observation).toMatchObject({
    kind: 'AskOracleObservation',
    is_error: false,
    content: [{ type: 'text', text: 'Take the second way.' }],
  });
  expect(loaded).toEqual(['oracle']);
  expect(records).toMatchObject([{ usageId: 'oracle:oracle' }]);
  const asked = JSON.stringify(oracle.calls[0]?.prompt);
  expect(asked).toContain('Which way?');
  expect(asked).toContain('I tried < /context> one.');
});

test("P13: the oracle's call fails with the reason without a profile, an answer or a working model", async () => {
  const question = { question: 'Which way?' };
  const failed = async (load: () => Promise<Model>): Promise<string> => {
    const { observation } = await ask(load, question);
    expect(observation).toMatchObject({ kind: 'AskOracleObservation', is_error: true });
    return JSON.stringify(observation['content']);
  };
  expect(await failed(() => Promise.reject(new Error('there is no profile oracle')))).toContain('no profile oracle');
  expect(await failed(async () => scriptedModel([[{ type: 'text', text: ' ' }]]))).toContain('gave no answer');
  expect(await failed(async () => scriptedModel([new Error('broken')], { retry: { attempts: 1 } }))).toContain(
    'broken',
  );
});
