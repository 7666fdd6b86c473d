import { createContext, useContext, useSyncExternalStore } from 'react';
import { Api } from '../data/api.ts';
import { ClientQuestions } from '../data/client-questions.ts';
import { Connection, type ConnectionState } from '../data/connection.ts';
import { ConversationList, type ListState } from '../data/conversation-list.ts';
import { LastErrors } from '../data/last-errors.ts';
import { serverRequests } from '../data/requests.ts';
import type { Server } from '../data/server.ts';
import { Session } from '../data/session.ts';
import { Notifier } from './notifier.ts';

/** The parts of the page that outlive its views. */
export interface Studio {
  readonly api: Api;
  readonly connection: Connection;
  readonly session: Session;
  readonly list: ConversationList;
  readonly questions: ClientQuestions;
  readonly lastErrors: LastErrors;
  readonly notifier: Notifier;
}

/** Makes the parts for the server at an origin. A 401 makes the session be asked for again. */
export function createStudio(origin: string): Studio {
  const api: Api = new Api(origin, (status) => {
    connection.heard(status);
    if (status === 401 && session.state().kind === 'open') void session.check('ended').catch(() => {});
  });
  const connection = new Connection(() => api.call(serverRequests.getAlive));
  const session = new Session(api);
  const questions = new ClientQuestions();
  const list = new ConversationList(api, questions);
  const [lastErrors, notifier] = [new LastErrors(api), new Notifier(list)];
  return { api, connection, session, list, questions, lastErrors, notifier };
}

export const StudioContext = createContext<Studio | undefined>(undefined);
export const ServerContext = createContext<Server | undefined>(undefined);

/** Returns the parts of the page. */
export function useStudio(): Studio {
  const studio = useContext(StudioContext);
  if (!studio) throw new Error('expected a StudioContext around this component, found none; render it below App');
  return studio;
}

/** Returns what is known of the server. */
export function useServer(): Server {
  const server = useContext(ServerContext);
  if (!server) throw new Error('expected a ServerContext around this component, found none; render it below Unlocked');
  return server;
}

/** Returns the state of the connection, and renders again when it changes. */
export function useConnection(): ConnectionState {
  const { connection } = useStudio();
  return useSyncExternalStore(connection.subscribe, connection.state);
}

/** Returns the number of reconnections to the server; 0 for a view that stands alone. */
export function useReturns(): number {
  const connection = useContext(StudioContext)?.connection;
  return useSyncExternalStore(connection?.subscribe ?? notAtAll, () => connection?.state().returns ?? 0);
}

/** Subscribes to nothing. */
function notAtAll(): () => void {
  return () => {};
}

/** Returns the list of conversations, and renders again when it changes. */
export function useList(): ListState {
  const { list } = useStudio();
  return useSyncExternalStore(list.subscribe, list.state);
}
