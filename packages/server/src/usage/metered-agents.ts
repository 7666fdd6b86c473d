import { isAgent, type Agent, type AgentFactory, type AgentSession, type StepContext } from '@conv/core';
import type { ChildConversations, ToolSession } from '@conv/core/tool';

import type { Usage } from './usage.ts';

/** Agents that were wrapped. */
const wrapped = new WeakMap<Agent, Agent>();

/** Returns a factory whose agents ask their models through `usage`, and so do their sub-agents. */
export function meteredAgents(factory: AgentFactory, usage: Usage): AgentFactory {
  return {
    revive: async (description, options) => {
      const agent = await factory.revive(description, options);
      return agent && metered(agent, usage);
    },
    ...(factory.missingTools ? { missingTools: (description) => factory.missingTools?.(description) ?? [] } : {}),
  };
}

/** `root`: the conversation for which a sub-agent works. */
function metered(agent: Agent, usage: Usage, root?: string): Agent {
  const meter: Agent = {
    describe: (options) => agent.describe(options),
    ...(agent.secretValues ? { secretValues: () => agent.secretValues?.() ?? [] } : {}),
    ...(agent.tools ? { tools: () => agent.tools?.() ?? [] } : {}),
    toolNames: agent.toolNames,
    ...(agent.enrich ? { enrich: agent.enrich.bind(agent) } : {}),
    start: async (session, options) => {
      const place = { conversation: session.conversationId, root: root ?? session.conversationId };
      const counted = withMeteredTools(withMeteredChildren(session, usage, place.root), usage, place);
      return meteredSession(await agent.start(counted, options), usage, place);
    },
    withModel: (model) => metered(agent.withModel(model), usage, root),
  };
  wrapped.set(meter, agent);
  return meter;
}

function withMeteredChildren(session: ToolSession, usage: Usage, root: string): ToolSession {
  const { children } = session;
  if (!children) return session;
  const run: ChildConversations['run'] = (task, call) => {
    const agent = isAgent(task.agent) ? metered(task.agent, usage, root) : task.agent;
    return usage.within(root, task.id, () => children.run({ ...task, ...(agent ? { agent } : {}) }, call));
  };
  return { ...session, children: { find: (id) => children.find(id), run } };
}

interface Place {
  readonly conversation: string;
  readonly root: string;
}

/** Returns the same session, whose tools ask models through `usage`. */
function withMeteredTools(session: ToolSession, usage: Usage, place: Place): ToolSession {
  const { askModel } = session;
  if (!askModel) return session;
  const ask: typeof askModel = (question, signal) => {
    const metered = (count: (cost: number) => void): ReturnType<typeof question> =>
      askModel(async () => {
        const answer = await question();
        // before it is stored: the call is paid for, even if the store fails
        count(answer.record.cost);
        return answer;
      }, signal);
    return usage.metered(place, metered, signal);
  };
  return { ...session, askModel: ask };
}

function meteredSession(session: AgentSession, usage: Usage, place: Place): AgentSession {
  const { toolConcurrency } = session;
  const condense = session.condense?.bind(session);
  const judge = session.judge?.bind(session);
  const title = session.title?.bind(session);
  const consult = session.consult?.bind(session);
  const switchTo = session.switchTo?.bind(session);
  const steps = <T>(context: StepContext, work: (counted: StepContext) => Promise<T>): Promise<T> =>
    usage.metered({ ...place, stats: context.state.stats }, (count) => work(counting(context, count)), context.signal);
  const asks = <T extends { readonly record: { readonly cost: number } }>(
    signal: AbortSignal,
    ask: () => Promise<T>,
  ): Promise<T> =>
    usage.metered(
      place,
      async (count) => {
        const answer = await ask();
        count(answer.record.cost);
        return answer;
      },
      signal,
    );
  return {
    get tools() {
      return session.tools;
    },
    ...(toolConcurrency === undefined ? {} : { toolConcurrency }),
    systemPrompt: (options) => session.systemPrompt(options),
    step: (context) => steps(context, (counted) => session.step(counted)),
    ...(condense ? { condense: (context) => steps(context, (counted) => condense(counted)) } : {}),
    resources: (action) => session.resources(action),
    ...(session.enrichResult ? { enrichResult: session.enrichResult.bind(session) } : {}),
    ...(session.edit ? { edit: session.edit.bind(session) } : {}),
    ...(session.interrupted ? { interrupted: session.interrupted.bind(session) } : {}),
    execute: (action, context) => session.execute(action, context),
    answer: (question, view, signal) => asks(signal, () => session.answer(question, view, signal)),
    ...(judge ? { judge: (objective, view, signal) => asks(signal, () => judge(objective, view, signal)) } : {}),
    ...(title
      ? { title: (message, length, signal, prompt) => asks(signal, () => title(message, length, signal, prompt)) }
      : {}),
    ...(consult ? { consult: (question, signal) => asks(signal, () => consult(question, signal)) } : {}),
    ...(switchTo ? { switchTo: (agent) => switchTo(wrapped.get(agent) ?? agent) } : {}),
    close: () => session.close(),
  };
}

/** Returns the same context, which counts the cost of each model call that is stored through it. */
function counting(context: StepContext, count: (cost: number) => void): StepContext {
  return {
    get state() {
      return context.state;
    },
    get signal() {
      return context.signal;
    },
    view: () => context.view(),
    condensableView: () => context.condensableView(),
    emit: (drafts, records = []) => {
      // before it is stored: the call is paid for, even if the store fails
      for (const { cost } of records) count(cost);
      return context.emit(drafts, records);
    },
    setAgentState: (patch) => context.setAgentState(patch),
    get secrets() {
      return context.secrets;
    },
    get onToken() {
      return context.onToken;
    },
  };
}
