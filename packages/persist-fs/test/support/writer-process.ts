import { writeConversation } from '@conv/testing-harness';
import { FsStore } from '../../src/index.ts';

const [directory = '', id = '', limit = '0', width = '1'] = process.argv.slice(2);
await writeConversation(new FsStore({ directory }), { id, limit: Number(limit), width: Number(width) });
