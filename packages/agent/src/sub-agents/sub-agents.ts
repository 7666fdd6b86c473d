import { checkMembers } from '../base/check-members.ts';
import { checkAgentOptions } from '../base/check-agent-options.ts';
import { type Agent, type ConfirmationPolicyInput, errorText, type JsonObject, type OptionNames } from '@conv/core';
import {
  type ChildCall,
  type ChildConversations,
  type ChildResult,
  type ChildTask,
  ToolError,
  type ToolSession,
} from '@conv/core/tool';
import { AgentError } from '../base/agent-error.ts';
import { callerOf } from '../assembly/agent-parts.ts';
import type { AgentDefinition, PermissionMode } from './agent-definition.ts';
import type { Described } from '../assembly/describe.ts';
import { isToolProvider } from '../tools/is-tool-provider.ts';
import { buildSubAgent, INHERIT, isCalling, knownAs, type SubAgentSources } from './build-sub-agent.ts';
import { sentDefinition } from './describe-definition.ts';
import { defined } from '../base/defined.ts';
import { readSentDefinition } from './sent-definition.ts';

/** Options of {@link taskTool} and {@link delegateTool}. */
export interface SubAgentsOptions extends SubAgentSources {
  /**
   * The sub-agents that can be given tasks; of two with the same name the first is taken. A sub-agent
   * `general-purpose`, which is like the calling agent, is added unless a definition has that name. Default: only
   * `general-purpose`.
   */
  readonly agents?: readonly AgentDefinition[];
  /**
   * Finds further sub-agents for a conversation, such as those in the files of its folder. They come behind all others. They are not
   * trusted, so that they have no tools beyond those of the calling agent, no servers of their own, and no hooks (decision 163). Rejections are
   * warnings of the process. Default: none.
   */
  readonly find?: (session: ToolSession) => Promise<readonly AgentDefinition[]>;
}

const NAMES: OptionNames<SubAgentsOptions> = { agents: true, find: true, tools: true, profiles: true, mcp: true };

/** Checks the names in the options of a tool that gives tasks to sub-agents. Throws {@link AgentError} `INVALID_OPTION`. */
export function checkSubAgentsOptions(place: string, options: SubAgentsOptions): void {
  checkAgentOptions(place, options, NAMES);
  const { agents = [] } = options as SubAgentsOptions;
  checkMembers(`${place}: agents`, agents, {
    list: 'await loadAgentDefinitions(directory)',
    member: 'the definition of an agent, as loadAgentDefinitions(directory) returns it',
  });
}

/** A task as a model gives it. */
export interface Delegation {
  /** The name of the sub-agent. A resumed task continues with its own sub-agent. */
  readonly agent: string;
  readonly prompt: string;
  readonly title?: string | undefined;
  /** The id of an earlier task to resume. */
  readonly resume?: string | undefined;
  readonly maxTurns?: number | undefined;
}

/** The limits and the policy of a definition; a child keeps the stricter ones. */
type Rules = Pick<ChildTask, 'limits' | 'confirmationPolicy'>;

/** The outcome of a task. */
export interface Delegated {
  /** The name of the sub-agent that worked on the task. */
  readonly agent: string;
  readonly result: ChildResult;
}

/** The sub-agent of a task that names none. */
export const GENERAL_PURPOSE = 'general-purpose';

/** Another name of the same sub-agent, unless a definition has that name. */
const DEFAULT = 'default';

/** The tag of a child that names its sub-agent; a resumed task finds its agent by this name. */
const TAG = 'subagent';

const GENERAL: AgentDefinition = {
  name: GENERAL_PURPOSE,
  description: 'Does any task that the tools at hand are good for: search, many-step work, a second look.',
};

const POLICIES: Readonly<Record<PermissionMode, ConfirmationPolicyInput>> = {
  always_confirm: { kind: 'AlwaysConfirm' },
  confirm_risky: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
  never_confirm: { kind: 'NeverConfirm' },
};

/** The most characters of a name, which is the value of a tag, and of a title. */
const MAX_NAME = 128;
const MAX_TITLE = 200;

/** The sub-agents that one tool gives tasks to. */
export class SubAgents {
  readonly #sources: SubAgentSources;
  readonly #find: SubAgentsOptions['find'];
  readonly #definitions = new Map<string, AgentDefinition>();

  /** Throws {@link AgentError} `INVALID_OPTION` for a definition that can never be built. */
  constructor({ agents = [], find, ...sources }: SubAgentsOptions) {
    this.#sources = sources;
    this.#find = find;
    for (const definition of [...agents, GENERAL]) {
      if (this.#definitions.has(definition.name)) continue;
      check(definition, sources);
      this.#definitions.set(definition.name, definition);
    }
  }

  /**
   * Resolves with these sub-agents behind the definitions that came with the conversation, and before the found ones. Of two with the same name
   * the first is taken. A definition that cannot be used is left out with a process warning, as OpenHands' server does.
   */
  async in(session: ToolSession): Promise<SubAgents> {
    const { subAgents: sent = [] } = session;
    const found = await this.#found(session);
    if (sent.length === 0 && found.length === 0) return this;
    const read = sent.flatMap((definition) => usable(() => readSentDefinition(definition), this.#sources));
    const given = [...this.#definitions.values()].filter((definition) => definition !== GENERAL);
    const safe = found.flatMap((definition) => usable(() => unvouched(definition), this.#sources));
    return new SubAgents({ agents: [...read, ...given, ...safe], ...this.#sources });
  }

  /** The definitions that were given, in the form in which a client sends them. Throws {@link AgentError} `INVALID_AGENT`. */
  sent(callerTools: readonly string[]): readonly JsonObject[] {
    const own = callerTools.filter((tool) => !isCalling(tool));
    const given = [...this.#definitions.values()].filter((definition) => definition !== GENERAL);
    return given.map((definition) => sentDefinition(definition, own));
  }

  /** Resolves with the found definitions whose tools the calling agent has. */
  async #found(session: ToolSession): Promise<readonly AgentDefinition[]> {
    const caller = callerOf(session);
    if (!this.#find || !caller) return [];
    try {
      const has = toolNamesOf(caller);
      return (await this.#find(session)).filter(({ tools = [] }) => tools.every((tool) => has.has(knownAs(tool))));
    } catch (error) {
      warn('sub-agents of the workspace', error);
      return [];
    }
  }

  get names(): readonly [string, ...string[]] {
    return [...this.#definitions.keys()] as [string, ...string[]];
  }

  /**
   * The names that a call may use: those of the sub-agents, and `default`, which clients and models of OpenHands write.
   */
  get accepted(): readonly [string, ...string[]] {
    return this.#definitions.has(DEFAULT) ? this.names : [...this.names, DEFAULT];
  }

  /** The list of sub-agents for the model that chooses. */
  get list(): string {
    return [...this.#definitions.values()].map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  }

  /**
   * Gives the task to a conversation of its own. Rejects as `ChildConversations.run` does, {@link AgentError}
   * `INVALID_AGENT` if the agent cannot be built, and {@link ToolError} if the runtime has no such conversations or no
   * such task.
   */
  async delegate(delegation: Delegation, session: ToolSession, call: ChildCall): Promise<Delegated> {
    const { children } = session;
    if (children === undefined)
      throw new ToolError('UNSUPPORTED', 'There are no sub-agents in this runtime. Do the task yourself.');
    const { resume } = delegation;
    return resume === undefined
      ? this.#begin(delegation, session, children, call)
      : this.#resume({ ...delegation, resume }, session, children, call);
  }

  async #begin(
    { agent: name, prompt, title, maxTurns }: Delegation,
    session: ToolSession,
    children: ChildConversations,
    call: ChildCall,
  ): Promise<Delegated> {
    const definition =
      this.#definitions.get(name) ?? (name === DEFAULT ? this.#definitions.get(GENERAL_PURPOSE) : undefined);
    if (definition === undefined)
      throw new ToolError('FAILED', `There is no sub-agent ${JSON.stringify(name)}. Known: ${this.names.join(', ')}.`);
    const task: ChildTask = {
      prompt,
      agent: await this.#agentOf(definition, session),
      tags: { [TAG]: definition.name },
      ...rulesOf(definition),
      ...defined({
        maxIterations: maxTurns,
        title: isTitle(title) ? title.trim().slice(0, MAX_TITLE) : undefined,
        hooks: definition.hooks,
      }),
    };
    return { agent: definition.name, result: await children.run(task, call) };
  }

  async #resume(
    { agent, prompt, resume: id, maxTurns }: Delegation & { readonly resume: string },
    session: ToolSession,
    children: ChildConversations,
    call: ChildCall,
  ): Promise<Delegated> {
    const child = await children.find(id);
    if (child === undefined)
      throw new ToolError(
        'FAILED',
        `There is no task ${JSON.stringify(id)} of this conversation to continue. Start a new one.`,
      );
    const name = child.tags[TAG] ?? agent;
    const definition = this.#definitions.get(name);
    const task: ChildTask = {
      id: child.id,
      prompt,
      // without a definition the runtime builds the stored agent; a definition may have become stricter since
      ...(definition === undefined ? {} : { agent: await this.#agentOf(definition, session), ...rulesOf(definition) }),
      ...defined({ maxIterations: maxTurns }),
    };
    return { agent: name, result: await children.run(task, call) };
  }

  async #agentOf(definition: AgentDefinition, session: ToolSession): Promise<Agent> {
    if (definition.agent !== undefined) return definition.agent;
    const caller = callerOf(session);
    if (caller !== undefined) return buildSubAgent(definition, caller, this.#sources);
    const name = JSON.stringify(definition.name);
    throw new AgentError(
      'INVALID_AGENT',
      `agent ${name}: it inherits from the calling agent, which is not an agent of this package; give the definition an agent`,
    );
  }
}

function rulesOf({ maxIterations, maxBudget, permissionMode }: AgentDefinition): Rules {
  const limits = defined({ maxIterations, maxBudgetPerRun: maxBudget });
  return { limits, ...defined({ confirmationPolicy: permissionMode && POLICIES[permissionMode] }) };
}

function isTitle(title: string | undefined): title is string {
  return title !== undefined && title.trim() !== '';
}

function usable(read: () => AgentDefinition, sources: SubAgentSources): readonly AgentDefinition[] {
  try {
    const definition = read();
    check(definition, sources);
    return [definition];
  } catch (error) {
    warn('a sub-agent of the conversation', error);
    return [];
  }
}

function warn(what: string, error: unknown): void {
  process.emitWarning(`${what}: left out: ${errorText(error)}`, 'AgentWarning');
}

/** Returns a definition that is not trusted, such as a file of a repository: without hooks, and with the servers of its caller. */
function unvouched(found: AgentDefinition): AgentDefinition {
  const { hooks: _, agent: __, ...definition } = found;
  return { ...definition, mcpServers: INHERIT };
}

function toolNamesOf({ tools }: Described): ReadonlySet<string> {
  return new Set(tools.flatMap((source) => (isToolProvider(source) ? [] : [source.name])));
}

function check(definition: AgentDefinition, sources: SubAgentSources): void {
  const wrong = problemOf(definition, sources);
  if (wrong !== undefined) throw new AgentError('INVALID_OPTION', `agent ${JSON.stringify(definition.name)}: ${wrong}`);
}

/** Returns the first member that makes a definition impossible to build, and the reason. */
function problemOf(definition: AgentDefinition, { profiles, mcp }: SubAgentSources): string | undefined {
  const { name, description, model = INHERIT, mcpServers = {}, permissionMode } = definition;
  if (!isTitle(name) || name.length > MAX_NAME) return `name: must be text of up to ${MAX_NAME} characters`;
  if (!isTitle(description)) return 'description: an agent needs one, by which it is chosen';
  if (model !== INHERIT && profiles === undefined)
    return 'model: it names a profile, but none is configured; give the option profiles';
  if (mcpServers !== INHERIT && Object.keys(mcpServers).length > 0 && mcp === undefined)
    return 'mcpServers: this agent cannot connect to MCP servers; give the option mcp';
  if (permissionMode !== undefined && !Object.hasOwn(POLICIES, permissionMode))
    return `permissionMode: expected ${Object.keys(POLICIES).join(', ')}, found ${JSON.stringify(permissionMode)}`;
  return undefined;
}
