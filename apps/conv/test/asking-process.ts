import { createAgent, openaiCompatible } from '@conv/agent';
import { createConversationFactory } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { local } from '@conv/local';
import { askUser } from '@conv/openhands/client-tools';
import { FsStore } from '@conv/persist-fs';
import { mcpServers, type McpConfig } from '@conv/tools';

// Begins a conversation whose tool asks the user, prints the ids of conversation and question, and waits to be killed.
const [workspace = '', persistenceDir = '', baseUrl = '', servers = '{}'] = process.argv.slice(2);
const make = createConversationFactory({ runtimes: [local({ storeAt: (directory) => new FsStore({ directory }) })] });
const conversation = await make({
  create: 'must',
  workspace,
  persistenceDir,
  clientTools: [askUser],
  agent: createAgent({
    model: openaiCompatible('scripted-model', { baseUrl }),
    tools: [mcpServers(JSON.parse(servers) as McpConfig)],
  }),
});
conversation.subscribe((event) => {
  if (isEvent(event, 'ActionEvent') && event.tool_name === 'ask_user')
    process.stdout.write(`${conversation.id} ${event.id}\n`);
});
await conversation.sendMessage('Order it.');
await conversation.run();
