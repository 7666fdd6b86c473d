import { acts, each, noOp, refused, type Effects } from '../effect.ts';
import { madeOf } from './shared-effects.ts';
import {
  bash,
  change,
  children,
  edits,
  events,
  goals,
  members,
  programs,
  routeMessages,
  runs,
  settings,
  start,
} from './test-files.ts';

const heard = acts(start, 'a request with what real clients send by default is accepted');
const toModel = acts(
  settings,
  'settings of the model come from the request or a profile, and its builder gets plain secrets',
);

/** Effects of the members of messages and of changes of a conversation. */
export const CONVERSATION_EFFECTS: Effects = {
  SendMessageRequest: {
    role: acts(events, 'of the assistant'),
    content: acts(members, 'content of a message reaches the model, image_urls too'),
    run: acts(runs, 'a run is begun by a message that asks for it alone'),
    sender: acts(runs, 'a run is begun by a message that asks for it alone'),
  },
  ContentPart: {},
  TextContent: {
    type: heard,
    text: acts(runs, 'a run answers a message that comes during it'),
    cache_prompt: noOp('the cached part of a prompt is chosen when the prompt is sent'),
  },
  ImageContent: {
    type: heard,
    image_urls: acts(members, 'content of a message reaches the model, image_urls too'),
    cache_prompt: noOp('the cached part of a prompt is chosen when the prompt is sent'),
  },
  UpdateConversationRequest: each(
    ['title', 'tags'],
    acts(change, 'a change sets title and tags, and leaves what is null or absent'),
  ),
  ForkConversationRequest: {
    reset_metrics: acts(members, 'reset_metrics: false has a fork go on counting'),
    ...each(
      ['id', 'title', 'tags', 'from_event_id'],
      acts(change, 'a fork is whole or up to an event, and says where from'),
    ),
  },
  StartChildConversationRequest: {
    ...each(
      ['task', 'title'],
      acts(children, 'a child begins with its task, knows nothing else of its parent, and both name each other'),
    ),
    isolation: acts(children, 'a child works in a worktree of the repository of its parent, or where its parent works'),
  },
  NavigateConversationRequest: { event_id: acts(change, 'a conversation goes on from another event') },
  RunConversationRequest: {
    max_iterations: acts(start, 'max_iterations of a run ends that run'),
    approves: acts(runs, 'P10: a run that approves nothing leaves the calls waiting, and needs no right to approve'),
    answers: acts(runs, 'a run that is to answer a message is refused when something came after the message'),
  },
  UpdateSecretsRequest: {
    secrets: acts(start, 'secrets reach the command that names them, and removed_secrets takes them away'),
  },
  SetConfirmationPolicyRequest: { policy: madeOf },
  SetSecurityAnalyzerRequest: { security_analyzer: madeOf },
  SwitchProfileRequest: { profile_name: toModel },
  SwitchLlmRequest: { llm: toModel },
  SwitchAcpModelRequest: {
    model: acts(programs, 'a conversation with agent_settings of an ACP agent runs its program, and shows its models'),
  },
  LoadPluginRequest: {
    plugin_ref: refused(
      'a conversation gets its plugins when it starts',
      settings,
      'settings that this server does not have are refused and change nothing',
    ),
  },
  StartGoalRequest: {
    objective: acts(goals, 'a goal is worked on round by round without its client, as one run'),
    max_iterations: acts(goals, 'a goal ends after max_iterations rounds, whatever the judge says'),
  },
  ChangeSettingsRequest: {
    damage_confirmed: acts(settings, 'P4: damage_confirmed ends the distrust of the settings, and only true does'),
    ...each(
      ['max_iterations', 'max_budget_per_run', 'max_budget', 'tool_timeout', 'stuck_detection', 'title'],
      acts(start, 'each setting of a conversation can be changed'),
    ),
    removed_secrets: acts(start, 'secrets reach the command that names them, and removed_secrets takes them away'),
  },
  AskAgentRequest: {
    question: acts(settings, 'P8: a side question is answered and changes nothing; a blank one is refused'),
  },
  ConfirmationResponseRequest: {
    accept: acts(runs, 'waiting actions run when they are accepted'),
    reason: acts(runs, 'rejected actions are answered with the reason, and nothing runs'),
  },
  ApproveRequest: {
    action_ids: acts(runs, 'waiting actions are approved one by one: exactly those run, and the others go on waiting'),
    edits: acts(edits, 'misspelt options and edits that are no objects are refused before the server is asked'),
  },
  RejectRequest: {
    action_ids: acts(runs, 'waiting actions are approved one by one: exactly those run, and the others go on waiting'),
    reason: acts(runs, 'waiting actions are approved one by one: exactly those run, and the others go on waiting'),
  },
  AnswerCallRequest: each(
    ['action_id', 'content', 'is_error'],
    acts(members, 'annotations of a client tool are told, and is_error of its answer is an error that the model reads'),
  ),
  ExecuteBashRequest: {
    command: acts(bash, 'the service runs a command and answers with its exit code and both of its streams'),
    cwd: acts(bash, 'the service runs in the folder that is named, else in that of the server'),
    timeout: acts(bash, 'the service kills a command, and what it started, when its time is up: exit code -1'),
  },
  AuthFrame: each(
    ['type', 'session_api_key'],
    acts(routeMessages, 'WS %s: session_api_key of the first frame opens the socket, and a wrong one closes it'),
  ),
  MessageFrame: {
    role: acts(routeMessages, 'WS %s: a message frame of another role than user is refused'),
    content: acts(routeMessages, '%s: text and image_urls of the content reach the model'),
  },
};
