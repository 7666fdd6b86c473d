import '../../src/page/design/tokens.css';
import '../../src/page/design/base.css';
import '../../src/page/design/controls.css';
import '../../src/page/design/overlay.css';
import './page.css';
import { createConversationFactory } from '@conv/core';
import { remote, type RemoteConversation, RemoteWorkspace } from '@conv/remote';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CompareView } from '../../src/page/compare/compare-view.tsx';
import { ConversationView } from '../../src/page/conversation/conversation-view.tsx';
import { UnderstandView } from '../../src/page/understand/understand-view.tsx';

const Conversation = createConversationFactory({
  runtimes: [remote({ heartbeat: 2_000 })],
});
const workspace = new RemoteWorkspace({ host: location.origin });
const opened = new Map<string, Promise<RemoteConversation>>();

function open(id: string): Promise<RemoteConversation> {
  const known = opened.get(id) ?? (Conversation.resume(id, { workspace }) as Promise<RemoteConversation>);
  opened.set(id, known);
  return known;
}

/** Shows one view of a conversation, as the page of studio does around it. */
function Shown(): ReactElement | null {
  const [url, setUrl] = useState(() => new URL(location.href));
  const go = useCallback((path: string): void => {
    history.pushState(null, '', path);
    setUrl(new URL(location.href));
  }, []);
  const [, , id = '', view] = url.pathname.split('/');
  const [conversation, setConversation] = useState<RemoteConversation>();
  useEffect(() => {
    if (url.pathname !== '/compare') void open(id).then(setConversation);
  }, [id, url]);
  if (url.pathname === '/compare')
    return <CompareView a={url.searchParams.get('a') ?? ''} b={url.searchParams.get('b') ?? ''} open={open} go={go} />;
  if (!conversation || conversation.id !== id) return null;
  if (view === 'understand') return <UnderstandView conversation={conversation} go={go} />;
  return <ConversationView conversation={conversation} open={open} go={go} />;
}

const place = document.getElementById('studio');
if (!place) throw new Error('expected the element #studio in index.html, found none; build the page again');
createRoot(place).render(
  <main className="test-page">
    <h1 className="hidden">Conversation</h1>
    <h2 className="hidden">View</h2>
    <Shown />
  </main>,
);
