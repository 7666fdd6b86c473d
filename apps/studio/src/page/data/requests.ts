/** A request of the page: its method, and its path with parameters in braces. */
export type PageRequest = readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string];

const CONVERSATIONS = '/api/conversations';
const CONVERSATION = `${CONVERSATIONS}/{conversation_id}`;
const SESSION = '/api/auth/session';

/**
 * The requests of the page that no client of a conversation makes. They are routes of the server, which a test compares: the routes themselves bring the schemas of
 * all requests, and the page would load these.
 */
export const serverRequests = {
  getAlive: ['GET', '/alive'],
  getInfo: ['GET', '/server_info'],
  getSession: ['GET', SESSION],
  openSession: ['POST', SESSION],
  endSession: ['DELETE', SESSION],
  getConversations: ['GET', CONVERSATIONS],
  searchConversations: ['GET', `${CONVERSATIONS}/search`],
  countConversations: ['GET', `${CONVERSATIONS}/count`],
  startConversation: ['POST', CONVERSATIONS],
  changeConversation: ['PATCH', CONVERSATION],
  deleteConversation: ['DELETE', CONVERSATION],
  switchProfile: ['POST', `${CONVERSATION}/switch_profile`],
  searchEvents: ['GET', `${CONVERSATION}/events/search`],
  getProfiles: ['GET', '/api/profiles'],
  getAgentProfiles: ['GET', '/api/agent-profiles'],
  getVerifiedModels: ['GET', '/api/llm/models/verified'],
  getHome: ['GET', '/api/file/home'],
  upload: ['POST', '/api/file/upload'],
} as const satisfies Readonly<Record<string, PageRequest>>;

/** The requests to the server of studio itself. */
export const studioRequests = {
  getPlace: ['GET', '/studio/place.json'],
  getOwner: ['GET', '/studio/owners/{id}'],
} as const satisfies Readonly<Record<string, PageRequest>>;

/** Returns the path of a request with these parameters in it. Throws `TypeError` for a missing parameter. */
export function pathWith(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined)
      throw new TypeError(`${path}: expected the parameter ${name}, found nothing; give it in params`);
    return encodeURIComponent(value);
  });
}
