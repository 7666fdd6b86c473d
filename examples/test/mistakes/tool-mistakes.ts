// Mistakes with tools, hooks, secrets and visualizers.
import * as tool from '@conv/core/tool';
import { createHooks, loadHooks } from '@conv/hooks';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { createStuckDetector } from '@conv/stuck';
import { fileEditor, mcpServers, terminal } from '@conv/tools';
import { eventTree, sequenceDiagram, TerminalVisualizer } from '@conv/visualize';
import { join } from 'node:path';
import { z } from 'zod';

import { file, wrong, weather, type Anything, type Loose, type Mistake } from './setting.ts';

/** Mistakes with tools, hooks, secrets and visualizers. */
export const toolMistakes: readonly Mistake[] = [
  [
    () => tool.defineTool(wrong({ ...weather, input: undefined })),
    'input of tool weather: expected a schema such as z.object({ city: z.string() }) of zod 4, found nothing',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, input: z.string() })),
    'input of tool weather: expected a schema of an object, such as z.object({ city: z.string() }), found one of type string',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, input: { city: z.string() } })),
    'input of tool weather: expected a schema such as z.object({ city: z.string() }) of zod 4, found an object of schemas: wrap it in z.object(…)',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, input: { type: 'object', properties: {} } })),
    'input of tool weather: expected a schema such as z.object({ city: z.string() }) of zod 4, found a JSON Schema: convert it with z.fromJSONSchema(…)',
  ],
  [
    () =>
      tool.defineTool(
        wrong({
          ...weather,
          input: {
            _def: { typeName: 'ZodObject' },
            parse: () => 1,
            safeParse: () => 1,
            '~standard': { vendor: 'zod', version: 1, validate: () => 1 },
          },
        }),
      ),
    "input of tool weather: expected a schema such as z.object({ city: z.string() }) of zod 4, found one of zod 3: install zod 4, or import { z } from 'zod/v4'",
  ],
  [
    () => tool.defineTool(wrong({ ...weather, input: z.object({ when: z.date() }) })),
    'input of tool weather has no JSON Schema: Date cannot be represented in JSON Schema; take what JSON can say, such as z.string(), and convert it in execute',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, name: 'my tool' })),
    'tool name: expected 1 to 64 letters, digits, "_" or "-", such as "read_file", found "my tool"',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, name: undefined })),
    'tool name: expected 1 to 64 letters, digits, "_" or "-", such as "read_file", found undefined',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, description: undefined })),
    'description of tool weather: expected text for the model, found nothing',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, execute: undefined, run: () => 1 })),
    'defineTool: there is no option "run"; the options are …',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, execute: undefined })),
    'execute of tool weather: expected a function of the input and the context, found nothing',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, annotations: { readonly: true } })),
    'annotations of tool weather: there is no option "readonly"; did you mean readOnly?',
  ],
  [
    () => tool.defineTool(wrong({ ...weather, output: { type: 'string' } })),
    'output of tool weather: expected a schema such as z.object({ city: z.string() }) of zod 4, found a JSON Schema: convert it with z.fromJSONSchema(…)',
  ],
  [
    async () => {
      const numbers = tool.defineTool(wrong({ ...weather, execute: () => 5 }));
      return (numbers as unknown as Loose<typeof numbers>).execute(
        { city: 'x' },
        { signal: new AbortController().signal },
      );
    },
    "tool 'weather' returned neither text nor content; give it an output schema",
  ],
  [
    () => (fernetCipher as unknown as Anything)(),
    '[INVALID_INPUT] secret key: expected a text that is not empty, found nothing',
  ],
  [() => fernetCipher(''), '[INVALID_INPUT] secret key: expected a text that is not empty, found an empty string'],
  [
    () => (fernetCipher as unknown as Anything)(Buffer.from('x')),
    '[INVALID_INPUT] secret key: expected a text that is not empty, found an object of Buffer',
  ],
  [
    () => (createSecretVault as unknown as Anything)('key'),
    'createSecretVault: expected an object with the options …, found a string',
  ],
  [
    () => (createHooks as unknown as Anything)({ preTool: [] }),
    '[INVALID_CONFIG] preTool: unknown event; there are PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, SessionEnd, Stop',
  ],
  [
    () => (createHooks as unknown as Anything)({ preToolUse: [{ matcher: 'x', hooks: [{}] }] }),
    '[INVALID_CONFIG] preToolUse[0].hooks[0].command: expected a text',
  ],
  [
    () => (createHooks as unknown as Anything)({ preToolUse: [{ matcher: '(', hooks: [{ command: 'x' }] }] }),
    '[INVALID_CONFIG] preToolUse[0].matcher: expected a regular expression, found (',
  ],
  [
    () => (createHooks as unknown as Anything)({ preToolUse: [{ command: 'x' }] }),
    '[INVALID_CONFIG] preToolUse[0].command: unknown member; expected one of matcher, hooks',
  ],
  [
    () => (createHooks as unknown as Anything)({ preToolUse: { matcher: 'x', hooks: [] } }),
    '[INVALID_CONFIG] preToolUse: expected a list of matchers',
  ],
  [
    () =>
      (createHooks as unknown as Anything)({ preToolUse: [{ matcher: '*', hooks: [{ command: 'x', timeout: -1 }] }] }),
    '[INVALID_CONFIG] preToolUse[0].hooks[0].timeout: expected whole seconds from 1 to 2147483',
  ],
  [
    () => loadHooks(join(file('hk/.openhands/hooks.json', '{ "pre'), '../..')),
    '[UNREADABLE] <folder>/hk/.openhands/hooks.json: expected JSON, found other text',
  ],
  [
    () => loadHooks(join(file('hk2/.openhands/hooks.json', '{"hooks": {"BeforeTool": []}}'), '../..')),
    '[INVALID_CONFIG] <folder>/hk2/.openhands/hooks.json: BeforeTool: unknown event; there are PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, SessionEnd, Stop',
  ],
  [
    () => createStuckDetector(wrong({ thresholds: { repeatingAction: 0 } })),
    '[INVALID_OPTION] createStuckDetector: thresholds: there is no option "repeatingAction"; the options are …',
  ],
  [() => terminal(wrong('/tmp')), 'terminal: expected an object with the options …, found a string'],
  [
    () => terminal(wrong({ sandbox: true })),
    'terminal: sandbox: expected a sandbox such as sandbox() of @conv/sandbox, found a boolean',
  ],
  [() => terminal(wrong({ timeout: '5s' })), 'terminal: there is no option "timeout"; did you mean maxTimeout?'],
  [
    () => fileEditor(wrong({ sandbox: 'bubblewrap' })),
    'fileEditor: sandbox: expected a sandbox such as sandbox() of @conv/sandbox, found a string',
  ],
  [
    () => mcpServers({}, wrong({ sandbox: 'bubblewrap' })),
    'mcpServers: sandbox: expected a sandbox such as sandbox() of @conv/sandbox, found a string',
  ],
  [
    () => createHooks({}, wrong({ sandbox: 'bubblewrap' })),
    '[INVALID_CONFIG] createHooks: sandbox: expected a sandbox such as sandbox() of @conv/sandbox, found a string',
  ],
  [
    () => fileEditor(wrong({ allowedFolders: '/tmp' })),
    'fileEditor: there is no option "allowedFolders"; the options are …',
  ],
  [
    () => fileEditor(wrong({ allowedFolders: ['x'] })),
    'fileEditor: there is no option "allowedFolders"; the options are …',
  ],
  [
    () => mcpServers(wrong([])),
    '[INVALID_CONFIG] MCP configuration: Invalid input: expected record, received array; give servers by name, such as { files: { command, args } }',
  ],
  [() => mcpServers(wrong({ fs: {} })), '[INVALID_CONFIG] MCP configuration: fs: needs either a command or a url'],
  [
    () => mcpServers(wrong({ fs: { command: 'x', url: 'http://x' } })),
    '[INVALID_CONFIG] MCP configuration: fs: needs either a command or a url',
  ],
  [
    () => mcpServers(wrong({ fs: { url: 'x' } })),
    '[INVALID_CONFIG] MCP configuration: fs.url: expected an http(s) URL',
  ],
  [
    () => mcpServers(wrong({ fs: { command: ['npx', 'y'] } })),
    '[INVALID_CONFIG] MCP configuration: fs.command: Invalid input: expected string, received array',
  ],
  [
    () => mcpServers(wrong({ fs: { command: 'npx', args: '-y x' } })),
    '[INVALID_CONFIG] MCP configuration: fs.args: Invalid input: expected array, received string',
  ],
  [
    () => mcpServers(wrong({ mcpServers: { fs: { command: 'npx' } } })),
    '[INVALID_CONFIG] MCP configuration: expected servers by name, found mcpServers; give the value of mcpServers',
  ],
  [
    () => new TerminalVisualizer(wrong({ width: 'x' })),
    "new TerminalVisualizer: width: expected a number of columns, or 'auto', found a string",
  ],
  [
    () => new TerminalVisualizer(wrong({ output: 'x' })),
    'new TerminalVisualizer: there is no option "output"; the options are …',
  ],
  [
    () => new TerminalVisualizer(wrong({ write: 'x' })),
    'new TerminalVisualizer: there is no option "write"; the options are …',
  ],
  [
    () => (eventTree as unknown as Anything)(),
    'eventTree: events: expected a list such as await conversation.events.slice(), found nothing',
  ],
  [
    () => (sequenceDiagram as unknown as Anything)('x'),
    'sequenceDiagram: events: expected a list such as await conversation.events.slice(), found a string',
  ],
  [
    () => (fernetCipher as unknown as Anything)('new', 'old'),
    "[INVALID_INPUT] older secret keys: expected a list such as ['the secret before'], found a string",
  ],
  [
    () => (loadHooks as unknown as Anything)(['.']),
    '[INVALID_CONFIG] loadHooks: expected the path of a folder, found an array',
  ],
  [
    () => new TerminalVisualizer(wrong({ highlight: /error/ })),
    "new TerminalVisualizer: highlight: expected a list such as [/error/i, { pattern: 'TODO', style: 'yellow' }], found an object of RegExp",
  ],
  [
    () => new TerminalVisualizer(wrong({ highlight: ['error'] })),
    "new TerminalVisualizer: highlight[0]: expected an entry as in [/error/i, { pattern: 'TODO', style: 'yellow' }], found a string",
  ],
];
