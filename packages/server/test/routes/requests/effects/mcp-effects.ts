import { acts, type Effect, each, noOp, type Effects } from '../effect.ts';
import { keepRoutes, mcpConfig, mcpHttp, mcpLogins, mcpProcess, members, routeAgents, trials } from './test-files.ts';

const mcp = acts(
  mcpProcess,
  'a process works in the folder of the conversation, with its configuration and few variables of ours',
);
const credentials = acts(
  mcpConfig,
  'a configuration names hidden values: variables, headers, credentials, but no words or paths',
);
const client = acts(mcpLogins, 'a client of the configuration is not registered, and asks for its scopes');
const asked = acts(routeAgents, '%s: an MCP server with oauth2 asks for a login of the client that it names');
const ownTokens = noOp('a person logs in at this server, which keeps the tokens');
const trial = (test: string): Effect => acts(trials, test);
const listed = trial('the test route lists the tools of a server, and calls one if asked');

/** Effects of the members of MCP servers and of their credentials. */
export const MCP_EFFECTS: Effects = {
  MCPServer: {
    ...each(['args', 'command', 'cwd', 'env'], mcp),
    ...each(['url', 'headers'], acts(mcpHttp, 'headers of %j reach the server with every request')),
    transport: acts(
      'packages/tools/test/mcp/redirects.test.ts',
      'P9: keys of an MCP server do not follow its redirect to another origin (%s)',
    ),
    auth: credentials,
    enabled: acts(mcpConfig, 'a configuration whose servers are all disabled has no tools'),
    timeout: acts(
      'packages/tools/test/mcp/calls.long.test.ts',
      'the timeout of one server can differ from that of another',
    ),
    ...each(['description', 'icon'], noOp('it is stored for display in settings')),
    ...each(
      ['keep_alive', 'sse_read_timeout'],
      noOp('connections last as long as the conversation, and are renewed if they break'),
    ),
  },
  MCPNoneAuthCredential: { strategy: credentials },
  MCPApiKeyAuthCredential: {
    header_name: acts(mcpHttp, 'headers of %j reach the server with every request'),
    ...each(['strategy', 'value'], credentials),
  },
  MCPBearerAuthCredential: each(['strategy', 'value'], credentials),
  MCPBasicAuthCredential: each(['password', 'strategy', 'username'], credentials),
  MCPHeaderAuthCredential: each(['headers', 'strategy'], credentials),
  MCPOAuthAuthCredential: {
    ...each(['authentication', 'strategy'], asked),
    state: ownTokens,
  },
  MCPOAuthAuthentication: {
    ...each(['client_id', 'scopes'], client),
    client_secret: acts(mcpLogins, 'P9: a client of the configuration may name its secret'),
    client_name: acts(mcpLogins, 'a client is registered by its name'),
    client_metadata_url: acts(mcpLogins, 'a client is the document of the configuration where that is supported'),
    ...each(
      ['additional_client_metadata', 'client_auth_method'],
      noOp('a client is registered without a secret, and a secret is sent as its authorization server takes it'),
    ),
    type: noOp('there is no other type'),
  },
  MCPOAuthState: { '*': ownTokens },
  MCPOAuthClientInfoState: { '*': ownTokens },
  MCPOAuthTokenState: { '*': ownTokens },
  MCPTestRequest: {
    ...each(['server', 'tool_call'], listed),
    name: trial('the test route tells why a server cannot be used, without values of its configuration'),
    timeout: trial('the test route tells why a server cannot be used, without values of its configuration'),
  },
  MCPOAuthCallbackRequest: {
    callback_url: trial('the OAuth route takes the address that a person copied from the browser, and no other'),
  },
  MCPServerPatch: {
    '*': acts(members, 'each member of a change of an MCP server is kept, and null takes it away'),
    disabled: acts(keepRoutes, 'settings take disabled in a change of one MCP server, and keep enabled'),
  },
};
