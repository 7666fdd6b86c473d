// The page of the test: `useChat` as applications use it. Each part of a message is a line.
import { useChat } from '@ai-sdk/react';
import { createChatTransport } from '@conv/ai-ui';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatTransport,
  type UIMessage,
} from 'ai';
import { StrictMode, useEffect, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

type Part = UIMessage['parts'][number];

const options = new URL(location.href).searchParams;
const id = options.get('chat') ?? '';
let showHistory = (): void => {};

/** An answer that has ended since the messages were loaded is in the history now. */
const ask: typeof fetch = async (...given) => {
  const answer = await fetch(...given);
  if (answer.status === 204) showHistory();
  return answer;
};

const transport: ChatTransport<UIMessage> =
  options.get('transport') === 'ours'
    ? createChatTransport({ api: '/api/chat', fetch: ask })
    : new DefaultChatTransport({ api: '/api/chat', fetch: ask });

async function loaded(): Promise<UIMessage[]> {
  return (await (await fetch(`/api/chat/${id}`)).json()) as UIMessage[];
}

interface ChatProps {
  readonly messages: UIMessage[];
}

function Chat({ messages: history }: ChatProps): ReactNode {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<FileList | undefined>();
  const { messages, status, error, sendMessage, setMessages, stop, addToolApprovalResponse } = useChat({
    id,
    messages: history,
    resume: true,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  useEffect(() => {
    // what was sent since is not in the history yet
    showHistory = () => void loaded().then((found) => setMessages((now) => (now.length > found.length ? now : found)));
  }, [setMessages]);
  return (
    <main>
      <ul>
        {messages.flatMap(({ id: message, role, parts }) =>
          parts.map((part, at) => <Line key={`${message} ${at}`} role={role} part={part} />),
        )}
      </ul>
      {asked(messages).map((call) => (
        <p key={call}>
          <button onClick={() => void addToolApprovalResponse({ id: call, approved: true })}>Approve</button>
          <button onClick={() => void addToolApprovalResponse({ id: call, approved: false, reason: 'not now' })}>
            Reject
          </button>
        </p>
      ))}
      <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
      <input aria-label="Files" type="file" onChange={({ target }) => setFiles(target.files ?? undefined)} />
      <button onClick={() => void sendMessage(files ? { text, files } : { text })}>Send</button>
      <button onClick={() => void stop()}>Stop</button>
      <output>{status}</output>
      {error && <p role="alert">{error.message}</p>}
    </main>
  );
}

function Line({ role, part }: { readonly role: string; readonly part: Part }): ReactNode {
  if (part.type === 'file') {
    return (
      <li>
        {role === 'user' ? 'sent image' : 'image'}
        <img src={part.url} alt="" />
      </li>
    );
  }
  const line = lineOf(role, part);
  return line === undefined ? null : <li>{line}</li>;
}

function lineOf(role: string, part: Part): string | undefined {
  if (part.type === 'text') return `${role === 'user' ? 'user' : 'text'}: ${part.text}`;
  if (part.type === 'reasoning') return `reasoning: ${part.text}`;
  if (part.type !== 'dynamic-tool') return undefined;
  const { toolName, input, state } = part;
  const result =
    state === 'output-available'
      ? `: ${String(part.output)}`
      : state === 'output-error'
        ? `: ${part.errorText}`
        : state === 'output-denied'
          ? `: ${part.approval.reason}`
          : '';
  return `${toolName} ${(input as { words?: string }).words ?? ''} ${state}${result}`;
}

function asked(messages: readonly UIMessage[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval.id] : [],
    ),
  );
}

const messages = await loaded();
const root = document.createElement('div');
document.body.append(root);
createRoot(root).render(
  <StrictMode>
    <Chat messages={messages} />
  </StrictMode>,
);
