/** Has a conversation begin to work: `node sub-agent-process.ts <folder> <id> <url of the model>`. The test kills it. */
import process from 'node:process';

import { chief, openAt } from './sub-agent-home.ts';

const [folder = '', id = '', url = ''] = process.argv.slice(2);
const conversation = await openAt(folder, { id, agent: chief(url) });
await conversation.sendMessage('go');
await conversation.run();
