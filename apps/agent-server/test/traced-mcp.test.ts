import { ProtectedMcpServer } from '@conv/testing-harness';
import { call, createModelServer, say, toolResults } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';
import { TraceReceiver } from './trace-receiver.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

test('a call of an MCP server belongs to the trace of the client that started the run', async () => {
  const receiver = new TraceReceiver();
  onTestFinished(() => receiver.close());
  const mcp = await ProtectedMcpServer.start({ admits: () => true });
  onTestFinished(() => mcp.stop());
  const model = await createModelServer({
    script: (request) => (toolResults(request).length > 0 ? say('Done.') : call('say', { text: 'hello' })),
  });
  onTestFinished(() => model.close());
  const cwd = newFolder();
  const env = {
    OH_SESSION_API_KEYS_0: 'session-key-of-traces-52d1',
    OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen(),
  };
  const server = await ServerProcess.start({ cwd, env });
  onTestFinished(async () => void (await server.stop()));
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  const body = payload({ cwd, llm });
  const agent = { ...(body['agent'] as object), mcp_config: { shop: { url: mcp.url } } };
  const { id } = await make(server, { ...body, agent });
  const headers = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };
  await server.call('POST', `/api/conversations/${id}/events`, says('Go', { run: true }), headers);
  await until(server, id, 'finished');
  expect(mcp.calls).toMatchObject([
    { text: 'hello', meta: { traceparent: expect.stringMatching(new RegExp(`^00-${TRACE_ID}-`)) as unknown } },
  ]);
});
