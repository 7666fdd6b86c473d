import { call, createModelServer, say, toolResults } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';
import { attributesOf, TraceReceiver } from './trace-receiver.ts';

const KEY = 'session-key-canary-41aa';
const MODEL_KEY = 'sk-model-canary-0192';

test('P9: a server that is told to put content into spans masks the secrets in it', async () => {
  const receiver = new TraceReceiver();
  onTestFinished(() => receiver.close());
  const model = await createModelServer({
    script: (request) =>
      toolResults(request).length > 0
        ? say(`Printed ${MODEL_KEY} and ${KEY}.`)
        : call('terminal', { command: `echo printed ${MODEL_KEY} ${KEY}` }),
  });
  onTestFinished(() => model.close());
  const cwd = newFolder();
  const env = {
    OH_SESSION_API_KEYS_0: KEY,
    CONV_HOST: '127.0.0.1',
    OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen(),
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  };
  const server = await ServerProcess.start({ cwd, env });
  onTestFinished(async () => void (await server.stop()));
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: MODEL_KEY, num_retries: 0 };
  const { id } = await make(server, payload({ cwd, llm }));
  await server.call('POST', `/api/conversations/${id}/events`, says('Go', { run: true }));
  await until(server, id, 'finished');
  await server.stop();
  const said = receiver.spans.flatMap((span) =>
    Object.entries(attributesOf(span)).filter(([name]) => /\.(?:messages|arguments|result)$/.test(name)),
  );
  expect(said.map(([name]) => name).toSorted()).toEqual([
    'gen_ai.output.messages',
    'gen_ai.output.messages',
    'gen_ai.tool.call.arguments',
    'gen_ai.tool.call.result',
  ]);
  for (const [, text] of said) {
    expect(text).toMatch(/[Pp]rinted/);
    expect(text).toContain('<secret-hidden>');
  }
  for (const secret of [KEY, MODEL_KEY]) expect(receiver.received).not.toContain(secret);
});
