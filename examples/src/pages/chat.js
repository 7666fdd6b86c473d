// The chat of `useChat` without a framework. Its state is an object, and each change of it is drawn.
import { createChatTransport } from '@conv/ai-ui';
import { AbstractChat, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';

import { draw, id, onMessage } from './draw.js';

class Chat extends AbstractChat {
  constructor(messages, changed) {
    const state = {
      messages,
      status: 'ready',
      pushMessage: (message) => state.messages.push(message),
      popMessage: () => state.messages.pop(),
      replaceMessage: (at, message) => (state.messages[at] = message),
      snapshot: (thing) => structuredClone(thing),
    };
    super({
      id,
      transport: createChatTransport({ api: '/chat', fetch: ask }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      state: new Proxy(state, {
        get: (target, name) => {
          const member = target[name];
          if (typeof member !== 'function' || name === 'snapshot') return member;
          return (...given) => {
            member(...given);
            changed();
          };
        },
        set: (target, name, value) => {
          target[name] = value;
          changed();
          return true;
        },
      }),
    });
  }
}

const chat = new Chat(await loaded(), () => queueMicrotask(show));
onMessage((text) => void chat.sendMessage({ text }));
show();
await chat.resumeStream();

async function loaded() {
  return (await fetch(`/chat/${id}`)).json();
}

/** An answer that has ended since the messages were loaded is in the history now; what was sent since is not. */
async function ask(...given) {
  const answer = await fetch(...given);
  if (answer.status !== 204) return answer;
  const found = await loaded();
  if (found.length >= chat.messages.length) chat.messages = found;
  return answer;
}

function show() {
  const parts = chat.messages.flatMap(({ role, parts: all }) => all.map((part) => ({ role, part })));
  const asked = parts.filter(({ part }) => part.state === 'approval-requested').map(({ part }) => part);
  draw({
    lines: parts.flatMap(lineOf),
    asks: asked.map(({ toolName, approval }) => ({
      text: `Run ${toolName}?`,
      decide: (approved) => void chat.addToolApprovalResponse({ id: approval.id, approved }),
    })),
    status: chat.error ? chat.error.message : chat.status,
  });
}

function lineOf({ role, part }) {
  if (part.type === 'text') return [{ kind: role, text: part.text }];
  if (part.type !== 'dynamic-tool') return [];
  const { toolName, input, state, output = '', errorText = output } = part;
  return [{ kind: 'call', text: `${toolName} ${input.path ?? ''}: ${state}\n${errorText}`.trimEnd() }];
}
