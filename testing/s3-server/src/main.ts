import { parseArgs } from 'node:util';
import { createS3Server } from './s3-server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'access-key-id': { type: 'string', default: 'test' },
    'secret-access-key': { type: 'string', default: 'test1234' },
  },
});
const server = await createS3Server({
  port: Number(values.port),
  credentials: { [values['access-key-id']]: values['secret-access-key'] },
});
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
