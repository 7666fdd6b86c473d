import { LocalChildren } from '../children/local-children.ts';
import type { CommandDeps } from '../commands/command-deps.ts';
import { watchQuestions } from '../commands/expiry.ts';
import { GoalAtWork } from '../commands/goal-at-work.ts';
import { Lifetime } from '../commands/lifetime.ts';
import { Messages } from '../commands/messages.ts';
import { ModelSwitch } from '../commands/model-switch.ts';
import { expirationOf } from '../rules/expired-questions.ts';
import { ActiveRun } from '../run/active-run.ts';
import { AnsweringAgent } from '../run/answering-agent.ts';
import { CommandCommits } from '../run/command-commits.ts';
import { HistoryAtWork } from '../run/history-at-work.ts';
import { LazySession } from '../run/lazy-session.ts';
import { Runs } from '../run/runs.ts';
import { startHooks, startSafeguards, type LastingSafeguards } from '../safeguards/safeguards.ts';
import { StuckWatch } from '../safeguards/stuck-watch.ts';
import { LazyParts } from './lazy-parts.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';

/*
 * Puts the objects of a conversation together: who uses whom, from left to right.
 *
 *   LazyParts ─► Runs ─► Messages ─► CommandCommits ───────────────────────┐
 *       │          │        │                                              ▼
 *       │          │        ├─► hooks ─► LazySession ─┬─► LocalChildren ─► ActiveRun
 *       └──────────┴────────┤                         │        └─────────► PassiveSafeguards
 *                           │                         └─► ModelSwitch ───► AnsweringAgent
 *                           └─► Lifetime ────────────────────────────────► GoalAtWork
 *
 * Each is made after all that it uses, so this list is also the order:
 *
 *   object              uses
 *   ────────────────────────────────────────────────────────────────────────────────
 *   ActiveRun           –
 *   GoalAtWork          –
 *   HistoryAtWork       –
 *   Lifetime            ActiveRun, GoalAtWork
 *   PassiveSafeguards   –
 *   LocalChildren       ActiveRun (its budget), PassiveSafeguards
 *   AnsweringAgent      –
 *   ModelSwitch         AnsweringAgent
 *   LazySession         AnsweringAgent, and by the tools: PassiveSafeguards, LocalChildren, ModelSwitch
 *   hooks               LazySession (they ask its model), PassiveSafeguards
 *   CommandDeps         Safeguards, LazySession, ActiveRun, Lifetime
 *   CommandCommits      ActiveRun, Safeguards
 *   Messages            CommandDeps, AnsweringAgent, CommandCommits
 *   Runs                ActiveRun, CommandCommits, LazySession, Safeguards, Messages, HistoryAtWork, LocalChildren
 *   LazyParts           all of them; its decisions, goals and history are made when they are first used
 *
 * ActiveRun, GoalAtWork, Lifetime, AnsweringAgent, the ratings and the secrets last as long as the conversation is open, because they know what nothing else
 * knows. All others are made when the conversation is used, and forgotten while it rests (decision 203).
 *
 * The session's tools need the safeguards and hooks need the session, so the safeguards come in two parts, and the hooks are the later one. Where two objects
 * need each other, both get a small object that is made before them:
 *
 *   Runs wait for messages on their way       ◄── ActiveRun ──►       Messages wait while the model is asked
 *   Runs end the children of a run            ◄── ActiveRun ──►       LocalChildren keep to the budget of the run
 *   Runs wait for work on the history         ◄── HistoryAtWork ──►   LocalHistory moves no HEAD during a run, by ActiveRun
 *   Lifetime refuses runs during a goal       ◄── GoalAtWork ──►      LocalGoal refuses goals after the close
 *   LazySession gives its tools the switch    ◄── AnsweringAgent ──►  ModelSwitch changes the agent of the session
 */

/** The objects that last as long as the conversation is open. */
export interface LastingParts extends LastingSafeguards {
  readonly active: ActiveRun;
  readonly goal: GoalAtWork;
  readonly lifetime: Lifetime;
  readonly agent: AnsweringAgent;
}

/** Makes the objects that last. */
export function lastingParts(parts: LocalConversationParts<unknown>): LastingParts {
  const { state, toolSession } = parts;
  const active = new ActiveRun();
  const goal = new GoalAtWork();
  const lifetime = new Lifetime(state.id, active, goal);
  const agent = new AnsweringAgent(parts.agent);
  return { active, goal, lifetime, agent, ...startSafeguards(state, parts, toolSession) };
}

/** The other objects of a conversation. */
export interface ComposedConversation {
  /** The objects that commands share, and that the conversation uses itself. */
  readonly commands: CommandDeps;
  readonly models: ModelSwitch;
  readonly children: LocalChildren;
  readonly messages: Messages;
  readonly runs: Runs;
  readonly lazy: LazyParts;
}

/** Makes the objects of a conversation. Nothing runs yet, and no tool is made. */
export function compose(parts: LocalConversationParts<unknown>, lasting: LastingParts): ComposedConversation {
  const { state, interruptedRun, subscriberGrace } = parts;
  const { active, goal, lifetime, agent, risks, secrets } = lasting;
  const history = new HistoryAtWork();

  const passive = { risks, secrets, watch: new StuckWatch(state, parts.stuckDetector) };
  const { openChild: open, onChildConfirmation: ask } = parts;
  const children = new LocalChildren({ ...parts, open, ask, safeguards: passive, active });
  const models = new ModelSwitch(agent, parts);
  const tools = {
    ...parts.toolSession,
    ...(passive.secrets ? { secrets: passive.secrets } : {}),
    children,
    setModel: (model: unknown) => models.set(model),
  };
  const session = new LazySession(agent, tools);
  const safeguards = { ...passive, hooks: startHooks(state, parts, tools, session) };

  const commands = { state, safeguards, session, active, lifetime };
  const commits = new CommandCommits({ state, active, risks: safeguards.risks, interruptedRun });
  const messages = new Messages({ ...commands, agent, commits });
  const expiration = expirationOf(state.platform, parts.approvalTimeout);
  const runs = new Runs({
    state,
    session,
    safeguards,
    active,
    commits,
    messages,
    history,
    children,
    expiration,
    interruptedRun,
    subscriberGrace,
    outerBudget: parts.host?.budget,
  });
  const lazy = new LazyParts({ commands, parts, commits, messages, runs, expiration, goal, history });
  return { commands, models, children, messages, runs, lazy };
}

/** Begins what follows a conversation as long as it is open: the limit of its questions, and the visualizer. */
export function follow(
  { state, approvalTimeout, visualizer }: LocalConversationParts<unknown>,
  { lifetime, active }: LastingParts,
): void {
  watchQuestions({ state, timeout: approvalTimeout, lifetime, active });
  if (!visualizer) return;
  visualizer.initialize?.(state.fields);
  state.subscribe(visualizer);
}

/**
 * True if the objects can be made again without loss: nothing works, no tool was made, no hook may be at work, and no caller holds the goals or the history.
 * A child tells its parent of its objects once.
 */
export function canForget(
  { hooks, host }: LocalConversationParts<unknown>,
  { active, goal }: LastingParts,
  { commands, models, messages, lazy }: ComposedConversation,
): boolean {
  const isAtWork = active.run !== undefined || goal.active || models.isSetting || messages.sending !== undefined;
  return !isAtWork && !commands.session.isUsed && !lazy.isHeld && !hooks && !host;
}
