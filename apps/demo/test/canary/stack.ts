import process from 'node:process';
import { Writable } from 'node:stream';

import { createAgent, createAgentFactory, openaiCompatible } from '@conv/agent';
import {
  createConversationFactory,
  type Agent,
  type Cipher,
  type Conversation,
  type Hooks,
  type SecretUpdate,
} from '@conv/core';
import type { ToolSource } from '@conv/core/tool';
import { local, type LocalConversationOptions, type LocalRuntime } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { createStuckDetector } from '@conv/stuck';
import { fileEditor, taskTracker, terminal } from '@conv/tools';
import { TerminalVisualizer } from '@conv/visualize';

import { canaryHooks } from './canary-hooks.ts';
import { canaryTools } from './canary-tools.ts';
import { Carrier } from './carrier.ts';
import type { Order } from './order.ts';
import { createUnmaskedVault } from './unmasked-vault.ts';
import { nameOf, UNRESOLVED } from './ways.ts';

/** Everything real, put together as a program would. */
export class Stack {
  readonly carrier: Carrier;
  readonly hooks: Hooks;
  /** The conversation that sends a tool's messages in the user's name. */
  current: Conversation | undefined;
  /** The error of the agent's next step. */
  failure: unknown;
  readonly #order: Order;
  readonly #tools: readonly ToolSource[];
  readonly #runtime: LocalRuntime;

  constructor(order: Order) {
    this.#order = order;
    this.carrier = new Carrier(order.values);
    const { hooks, factory } = canaryHooks(this.carrier);
    this.hooks = hooks;
    const say = async (text: string): Promise<unknown> => this.current?.sendMessage(text);
    this.#tools = [terminal(), fileEditor(), taskTracker(), ...canaryTools({ carrier: this.carrier, say })];
    this.#runtime = local({
      storeAt: (directory) => new FsStore({ directory }),
      agents: createAgentFactory({ tools: Object.fromEntries(this.#tools.map((tool) => [tool.name, () => tool])) }),
      secrets: order.variant.masking ? createSecretVault : createUnmaskedVault,
      stuckDetector: createStuckDetector(),
      hooks: factory,
    });
  }

  agent(tools: readonly ToolSource[] = this.#tools): Agent {
    const { modelUrl, values } = this.#order;
    const model = openaiCompatible('scripted-model', {
      baseUrl: modelUrl,
      apiKey: values['model-key'] ?? '',
      retry: { attempts: 2, minDelay: 1, maxDelay: 1 },
    });
    const systemSuffix = this.carrier.one('system-suffix', 'plain-token');
    return noting(createAgent({ model, tools, systemSuffix }), this);
  }

  /** As they are given: two have to be asked for. */
  secrets(): SecretUpdate {
    const { carrier } = this;
    const asked = ['from-function', 'from-lookup', 'lookup-header', 'rotated-old', 'rotated-new', 'model-key'];
    const statics = carrier.ids(...asked).map((id): [string, string] => [nameOf(id), carrier.value(id)]);
    return {
      ...Object.fromEntries(statics),
      FROM_FUNCTION: { get: () => carrier.value('from-function'), description: 'made by a function' },
      FROM_LOOKUP: {
        kind: 'LookupSecret',
        url: this.#order.lookupUrl,
        headers: { 'x-vault-token': carrier.value('lookup-header') },
      },
      ROTATED: { value: carrier.value('rotated-old'), description: carrier.one('description', 'plain-token') },
    };
  }

  /** Every value as it is. */
  plainSecrets(): SecretUpdate {
    const { carrier } = this;
    return Object.fromEntries(carrier.ids().map((id) => [nameOf(id), carrier.value(id)]));
  }

  async open(options: LocalConversationOptions): Promise<Conversation> {
    const { places } = this.#order;
    const make = createConversationFactory({ runtimes: [this.#runtime] });
    this.current = await make({
      workspace: places.workspace,
      persistenceDir: places.conversations,
      ...this.cipher(),
      ...options,
    });
    return this.current;
  }

  /** Returns the options for opening a stored conversation: its id alone, unless its secrets were not stored. */
  again(): LocalConversationOptions {
    if (this.#order.variant.cipher) return { create: 'never' };
    const { carrier } = this;
    const rotated = { ROTATED: carrier.value('rotated-new'), ROTATED_BEFORE: carrier.value('rotated-old') };
    return { create: 'never', agent: this.agent(), secrets: { ...this.secrets(), ...rotated } };
  }

  /** Returns the secrets that a reopened conversation knows before a command has named them. */
  remembered(): readonly string[] {
    return this.#order.variant.cipher ? this.carrier.ids() : this.carrier.ids(...UNRESOLVED);
  }

  cipher(): { readonly cipher?: Cipher } {
    return this.#order.variant.cipher ? { cipher: fernetCipher('the key of the canaries') } : {};
  }
}

/** An agent that keeps notes in the state of the conversation, and fails when it is told to. */
function noting(agent: Agent, stack: Stack): Agent {
  return {
    ...agent,
    start: async (toolSession) => {
      const session = await agent.start(toolSession);
      return {
        ...session,
        step: async (context) => {
          const { failure } = stack;
          stack.failure = undefined;
          if (failure !== undefined) throw failure;
          const resolved = context.state.stats['default'] !== undefined;
          if (resolved) await context.setAgentState({ note: stack.carrier.all('agent-state') });
          return session.step(context);
        },
      };
    },
  };
}

/** Returns a visualizer that prints as on a person's terminal. */
export function onTerminal(): TerminalVisualizer {
  const stream = new Writable({ write: (chunk, _, done) => void process.stdout.write(chunk, () => done()) });
  return new TerminalVisualizer({
    stream: Object.assign(stream, { isTTY: true, columns: 100 }),
    maxOutputLines: Number.POSITIVE_INFINITY,
  });
}

/** Returns a visualizer that prints for a program at a pipe. */
export function asJson(): TerminalVisualizer {
  return new TerminalVisualizer({ mode: 'json' });
}
