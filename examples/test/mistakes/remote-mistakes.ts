// Mistakes with servers: their clients, and their own options.
import { MemoryStore } from '@conv/core/store';
import { RemoteWorkspace } from '@conv/remote';
import { agentServer } from '@conv/server';

import { folder, wrong, assistant, Remote, there, parts, type Anything, type Mistake } from './setting.ts';

/** Mistakes with servers: their clients, and their own options. */
export const remoteMistakes: readonly Mistake[] = [
  [
    () => new (RemoteWorkspace as unknown as Anything)(),
    '[INVALID_INPUT] RemoteWorkspace: expected an object with the options …, found nothing',
  ],
  [
    () => new RemoteWorkspace(wrong('http://x')),
    '[INVALID_INPUT] RemoteWorkspace: expected an object with the options …, found a string',
  ],
  [
    () => new RemoteWorkspace(wrong({})),
    "[INVALID_INPUT] RemoteWorkspace: host: expected the address of a server, such as 'http://127.0.0.1:8000', found nothing",
  ],
  [
    () => new RemoteWorkspace(wrong({ host: 'ftp://x' })),
    '[INVALID_INPUT] RemoteWorkspace: host: expected http:// or https://, found ftp://',
  ],
  [
    () => new RemoteWorkspace(wrong({ host: 'http://a b' })),
    '[INVALID_INPUT] RemoteWorkspace: host: expected an address such as http://127.0.0.1:8000, found "http://a b"',
  ],
  [
    () => new RemoteWorkspace(wrong({ host: 'http://x', apiKey: 5 })),
    '[INVALID_INPUT] RemoteWorkspace: apiKey: expected a key of visible characters, without spaces or line ends, found a number; if you read it from a file, remove the line end',
  ],
  [
    () => new RemoteWorkspace(wrong({ host: 'http://x', apiKey: 'abc\n' })),
    '[INVALID_INPUT] RemoteWorkspace: apiKey: expected a key of visible characters, without spaces or line ends, found a string; if you read it from a file, remove the line end',
  ],
  [
    () => new RemoteWorkspace(wrong({ host: 'http://x', headers: { 'x team': 'a' } })),
    '[INVALID_INPUT] RemoteWorkspace: headers: expected the name of a header, found "x team"; use letters, digits and dashes',
  ],
  [
    () => new RemoteWorkspace(wrong({ host: 'http://x', headers: { 'x-team': 'a\n' } })),
    '[INVALID_INPUT] RemoteWorkspace: headers: expected a text in one line for x-team, found another value; remove line ends and characters beyond Latin-1',
  ],
  [
    () => new RemoteWorkspace(wrong({ host: 'http://user:pass@x' })),
    '[INVALID_INPUT] RemoteWorkspace: host: an address must not hold a name or password; give apiKey instead',
  ],
  [
    () => Remote(wrong({ agent: assistant, workspace: folder })),
    "[UNSUPPORTED] Conversation: workspace: expected a workspace for the runtime remote, found a string; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()",
  ],
  [
    () => Remote(wrong({ agent: assistant })),
    "[UNSUPPORTED] Conversation: workspace: expected a workspace for the runtime remote, found nothing; a path such as 'my-project' is for local(…), a new RemoteWorkspace({ host }) for remote()",
  ],
  [
    () => Remote(wrong({ agent: assistant, workspace: there, persistenceDir: 'x' })),
    '[INVALID_INPUT] Conversation: persistenceDir cannot be given, because the server stores the conversation; leave it out',
  ],
  [
    () => Remote(wrong({ agent: assistant, workspace: there, store: new MemoryStore() })),
    '[INVALID_INPUT] Conversation: store cannot be given, because the server stores the conversation; leave it out',
  ],
  [
    () => Remote(wrong({ agent: 'x', workspace: there })),
    '[INVALID_INPUT] Conversation: agent: expected createAgent({ model, tools }), or the description of an agent, found a string',
  ],
  [() => (agentServer as unknown as Anything)(), 'agentServer: expected an object with the options …, found nothing'],
  [
    () => (agentServer as unknown as Anything)({ register: () => undefined }),
    'agentServer: expected its options, found an instance of Fastify; register the result: app.register(agentServer({ … }))',
  ],
  [
    () => (agentServer as unknown as Anything)({}),
    'agentServer: store: expected a store such as new FsStore({ directory }), found nothing',
  ],
  [
    () => (agentServer as unknown as Anything)({ ...parts, sessionKeys: 'x' }),
    "agentServer: sessionKeys: expected a list of texts, such as ['…'], found a string",
  ],
  [
    () => (agentServer as unknown as Anything)({ ...parts, sandbox: {} }),
    'agentServer: sandbox: expected a sandbox such as sandbox() of @conv/sandbox, found an object',
  ],
  [
    () => (agentServer as unknown as Anything)({ ...parts, cors: { origins: 'x' } }),
    "agentServer: cors: origins: expected a list of texts, such as ['…'], found a string",
  ],
];
