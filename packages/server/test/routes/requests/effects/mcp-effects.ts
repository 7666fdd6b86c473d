import { acts, each, noOp, refused, type Effects } from '../effect.ts';
import { keepRoutes, mcpConfig, mcpHttp, mcpProcess, members } from './test-files.ts';

const mcp = acts(
  mcpProcess,
  'works in the folder of the conversation, with what its configuration says and little else of our variables',
);
const credentials = acts(
  mcpConfig,
  'names what must not show: variables, headers and credentials, but neither words, paths nor references',
);
const noOauth = refused(
  'a server with oauth2 is refused when the agent starts',
  mcpConfig,
  'with oauth2 rejects UNSUPPORTED that names the server, unless that is disabled',
);

/** Effects of the members of MCP servers and of their credentials. */
export const MCP_EFFECTS: Effects = {
  MCPServer: {
    ...each(['args', 'command', 'cwd', 'env'], mcp),
    ...each(['url', 'headers'], acts(mcpHttp, 'of %j reach the server with every request')),
    transport: acts(
      'packages/tools/test/mcp/redirects.test.ts',
      'P9: keys of an MCP server do not follow its redirect to another origin (%s)',
    ),
    auth: credentials,
    enabled: acts(mcpConfig, 'whose servers are all disabled has no tools'),
    timeout: acts('packages/tools/test/mcp/calls.long.test.ts', 'of one server can be another'),
    ...each(['description', 'icon'], noOp('it is stored for display in settings')),
    ...each(
      ['keep_alive', 'sse_read_timeout'],
      noOp('connections last as long as the conversation, and are renewed if they break'),
    ),
  },
  MCPNoneAuthCredential: { strategy: credentials },
  MCPApiKeyAuthCredential: {
    header_name: acts(mcpHttp, 'of %j reach the server with every request'),
    ...each(['strategy', 'value'], credentials),
  },
  MCPBearerAuthCredential: each(['strategy', 'value'], credentials),
  MCPBasicAuthCredential: each(['password', 'strategy', 'username'], credentials),
  MCPHeaderAuthCredential: each(['headers', 'strategy'], credentials),
  MCPOAuthAuthCredential: {
    '*': noOauth,
  },
  MCPOAuthAuthentication: {
    '*': noOauth,
  },
  MCPOAuthState: {
    '*': noOauth,
  },
  MCPOAuthClientInfoState: {
    '*': noOauth,
  },
  MCPOAuthTokenState: {
    '*': noOauth,
  },
  MCPServerPatch: {
    '*': acts(members, 'each member of a change of an MCP server is kept, and null takes it away'),
    disabled: acts(keepRoutes, 'take disabled in a change of one MCP server, and keep enabled'),
  },
};
