import type { ReactElement } from 'react';
import { Link, Route, Switch } from 'wouter';
import { Empty } from '../design/empty.tsx';
import { lazyView } from '../design/lazy-view.ts';
import { ListPage } from '../list/list-page.tsx';

// loaded when they are first shown, so that the list is there early
const StartPage = lazyView(async () => (await import('../start/start-page.tsx')).StartPage);
const ConversationPage = lazyView(async () => (await import('./conversation-page.tsx')).ConversationPage);
const ComparePage = lazyView(async () => (await import('./compare-page.tsx')).ComparePage);

/** The view of the address. */
export function Views(): ReactElement {
  return (
    <Switch>
      <Route path="/">
        <ListPage />
      </Route>
      <Route path="/new">
        <StartPage />
      </Route>
      <Route path="/compare">
        <ComparePage />
      </Route>
      <Route path="/c/:id/understand">{({ id }) => <ConversationPage key={id} id={id} view="understand" />}</Route>
      <Route path="/c/:id">{({ id }) => <ConversationPage key={id} id={id} />}</Route>
      <Route>
        <Empty
          title="There is no such page"
          actions={
            <Link href="/" className="button">
              All conversations
            </Link>
          }
        >
          The address may be cut off. All conversations are in the list.
        </Empty>
      </Route>
    </Switch>
  );
}
