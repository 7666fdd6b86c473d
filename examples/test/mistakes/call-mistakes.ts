// Mistakes with the methods of a conversation.

import { folder, assistant, Local, on, type Mistake } from './setting.ts';

/** Mistakes with the methods of a conversation. */
export const callMistakes: readonly Mistake[] = [
  [
    on((c) => c.sendMessage()),
    "[INVALID_INPUT] sendMessage: expected a text, a list of parts such as { type: 'text', text }, or { role: 'user', content }, found nothing",
  ],
  [on((c) => c.sendMessage('')), '[INVALID_INPUT] sendMessage: expected a text that is not blank'],
  [
    on((c) => c.sendMessage(5)),
    "[INVALID_INPUT] sendMessage: expected a text, a list of parts such as { type: 'text', text }, or { role: 'user', content }, found a number",
  ],
  [
    on((c) => c.sendMessage({ role: 'assistant', content: 'x' })),
    '[INVALID_INPUT] sendMessage: role: expected "user", because the agent\'s messages are its own, found "assistant"',
  ],
  [
    on((c) => c.sendMessage({ role: 'human', content: 'x' })),
    '[INVALID_INPUT] sendMessage: role: expected "user", because the agent\'s messages are its own, found "human"',
  ],
  [
    on((c) => c.sendMessage({ text: 'x' })),
    "[INVALID_INPUT] sendMessage: expected a text, a list of parts such as { type: 'text', text }, or { role: 'user', content }, found an object",
  ],
  [
    on((c) => c.sendMessage({ role: 'user', content: [{ type: 'txt', text: 'x' }] })),
    "[INVALID_INPUT] sendMessage: content[0]: expected { type: 'text', text }, { type: 'image', image_urls } or { type: 'image_url', image_url }, found an object of type \"txt\"",
  ],
  [
    on((c) => c.sendMessage('x', 'me')),
    '[INVALID_INPUT] sendMessage: expected an object with the options …, found a string',
  ],
  [
    on((c) => c.sendMessage('x', { sender: 5 })),
    '[INVALID_INPUT] sendMessage: sender: expected a text, found a number',
  ],
  [
    on((c) => c.sendMessage('x', { id: 'first' })),
    '[INVALID_INPUT] sendMessage: id: expected a UUID in lower case, such as crypto.randomUUID(), found "first"',
  ],
  [on((c) => c.run(5)), '[INVALID_INPUT] run: expected an object with the options …, found a number'],
  [on((c) => c.run('do it')), '[INVALID_INPUT] run: expected an object with the options …, found a string'],
  [
    on((c) => c.run({ maxIterations: -1 })),
    '[INVALID_INPUT] maxIterations: expected a positive whole number, found -1',
  ],
  [
    on((c) => c.run({ signal: new AbortController() })),
    '[INVALID_INPUT] run: signal: expected an AbortSignal, such as AbortSignal.timeout(60_000), found an object of AbortController; give its .signal',
  ],
  [on((c) => c.run({ timeout: 5 })), '[INVALID_INPUT] run: there is no option "timeout"; the options are …'],
  [
    on((c) => c.approve('x')),
    '[INVALID_INPUT] approve: actions: expected a list of their ids, such as [id], found a string',
  ],
  [on((c) => c.approve([], { edit: {} })), '[INVALID_INPUT] approve: there is no option "edit"; did you mean edits?'],
  [
    on((c) => c.approve([], { edits: { x: 'ls' } })),
    '[INVALID_INPUT] approve: edits: expected an object of the arguments of each edited call, by the id of its action, found an object',
  ],
  [
    on((c) => c.approve(['x'])),
    '[UNKNOWN_ACTION] no pending action has the id "x"; state.pendingActions has the actions that wait',
  ],
  [
    on((c) => c.approve(true)),
    '[INVALID_INPUT] approve: actions: expected a list of their ids, such as [id], found a boolean',
  ],
  [
    on((c) => c.reject('dangerous')),
    "[INVALID_INPUT] reject: actions: expected a list of their ids, such as [id], before the reason: reject([id], 'because …'), found a string",
  ],
  [on((c) => c.reject([], 5)), '[INVALID_INPUT] reject: reason: expected a text for the model, found a number'],
  [
    on((c) => c.answerCall('x', 'y')),
    '[INVALID_INPUT] answerCall: expected an object with the options …, found a string',
  ],
  [on((c) => c.answerCall()), '[INVALID_INPUT] an answer: expected an object with content, found none'],
  [on((c) => c.askAgent()), '[INVALID_INPUT] a question must be text that is not blank'],
  [on((c) => c.askAgent(' ')), '[INVALID_INPUT] a question must be text that is not blank'],
  [
    on((c) => c.subscribe()),
    '[INVALID_INPUT] subscribe: expected a function of an event, or an object with methods such as onEvent(event), found nothing',
  ],
  [
    on((c) => c.subscribe('event', () => {})),
    '[INVALID_INPUT] subscribe: expected an object with the options …, found a function',
  ],
  [
    on((c) => c.subscribe({ onEvents: () => {} })),
    '[INVALID_INPUT] subscribe: a subscriber has no method "onEvents"; did you mean onEvent?',
  ],
  [
    on((c) => c.subscribe(() => {}, { from: -1 })),
    '[INVALID_INPUT] subscribe: from: expected the number of an event, a whole number from 0, found -1',
  ],
  [
    on((c) => c.subscribe(() => {}, { from: 'start' })),
    '[INVALID_INPUT] subscribe: from: expected the number of an event, a whole number from 0, found "start"',
  ],
  [
    on((c) => c.settings.setConfirmationPolicy('AlwaysConfirm')),
    "[INVALID_INPUT] confirmationPolicy: expected an object such as { kind: 'AlwaysConfirm' }, found a string",
  ],
  [
    on((c) => c.settings.setConfirmationPolicy()),
    "[INVALID_INPUT] confirmationPolicy: expected an object such as { kind: 'AlwaysConfirm' }, found nothing",
  ],
  [
    on((c) => c.settings.setSecurityAnalyzer('x')),
    "[INVALID_INPUT] securityAnalyzer: expected one such as patternSecurityAnalyzer(), { kind: 'LLMSecurityAnalyzer' } or null, found a string",
  ],
  [
    on((c) => c.settings.setSecurityAnalyzer()),
    "[INVALID_INPUT] securityAnalyzer: expected one such as patternSecurityAnalyzer(), { kind: 'LLMSecurityAnalyzer' } or null, found nothing",
  ],
  [on((c) => c.settings.setLimits(5)), '[INVALID_INPUT] limits: expected an object with the options …, found a number'],
  [
    on((c) => c.settings.setLimits({ maxBudgt: 5 })),
    '[INVALID_INPUT] limits: there is no option "maxBudgt"; did you mean maxBudget?',
  ],
  [
    on((c) => c.settings.setModel('gpt-5')),
    "[INVALID_INPUT] model: model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found a string",
  ],
  [
    on((c) => c.settings.setModel()),
    "[INVALID_INPUT] model: model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found nothing",
  ],
  [
    on((c) => c.settings.setTags('x')),
    "[INVALID_INPUT] tags: expected an object of texts, such as { team: 'search' }, found a string",
  ],
  [
    on((c) => c.settings.setTitle()),
    '[INVALID_INPUT] title: expected a text of 1 to 200 characters beside blanks, found nothing',
  ],
  [
    on((c) => c.settings.setTitle(5)),
    '[INVALID_INPUT] title: expected a text of 1 to 200 characters beside blanks, found a number',
  ],
  [
    on((c) => c.settings.generateTitle(50)),
    '[INVALID_INPUT] settings.generateTitle: expected an object with the options …, found a number',
  ],
  [
    on((c) => c.settings.updateSecrets({ X: 'y' })),
    '[UNSUPPORTED] this runtime was given no vault for secrets; give local({ secrets: createSecretVault })',
  ],
  [
    on((c) => c.settings.setStuckDetection('on')),
    '[INVALID_INPUT] stuckDetection: expected true or false, found a string',
  ],
  [
    on((c) => c.history.fork('x')),
    '[INVALID_INPUT] history.fork: expected an object with the options …, found a string',
  ],
  [on((c) => c.history.fork({ from: 'x' })), '[UNKNOWN_EVENT] no event has the id "x"; events.slice() lists them'],
  [
    on((c) => c.history.at('x')),
    '[INVALID_INPUT] point: expected the number of a commit, a whole number from 0, found x',
  ],
  [
    on((c) => c.history.at(-1)),
    '[INVALID_INPUT] point: expected the number of a commit, a whole number from 0, found -1',
  ],
  [
    on((c) => Array.fromAsync(c.history.replay({ from: 'x' }))),
    '[INVALID_INPUT] history.replay: from: expected the number of a commit, a whole number from 0, found x',
  ],
  [
    on((c) => Array.fromAsync(c.history.commits({ from: -1 }))),
    '[INVALID_INPUT] history.commits: from: expected the number of a commit, a whole number from 0, found -1',
  ],
  [
    on((c) => Array.fromAsync(c.history.rerunActions(5))),
    '[INVALID_INPUT] history.rerunActions: expected an object with the options signal, found a number',
  ],
  [
    on((c) => c.events.get(0)),
    '[INVALID_INPUT] events.get: expected the id of an event; events.idAt gives it for a number, found a number',
  ],
  [on((c) => c.goal.pursue('')), '[INVALID_INPUT] the objective of a goal must be text that is not blank'],
  [
    on((c) => c.goal.pursue('x', { maxIterations: 0 })),
    '[INVALID_INPUT] maxIterations: expected a positive whole number, found 0',
  ],
  [
    async () => {
      const conversation = await Local.create({ agent: assistant, workspace: folder });
      await conversation.close();
      return conversation.sendMessage('x');
    },
    '[CLOSED] conversation <id> was closed; open it again with resume',
  ],
];
