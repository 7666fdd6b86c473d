import { join } from 'node:path';

import type { JsonObject } from '@conv/core';

import type { Canaries } from './canaries.ts';

/** A request that carries secrets. */
export interface Door {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

/** Addresses of the models and servers that a conversation needs. */
export interface Places {
  readonly cwd: string;
  /** Of an OpenAI-compatible model, without a user. */
  readonly modelUrl: string;
}

/** The same address with a user and a password. */
function withPassword(url: string, password: string): string {
  return url.replace('://', `://user:${encodeURIComponent(password)}@`);
}

/** A model with a secret in every member that takes one. */
function llm(canaries: Canaries, door: string, url: string): JsonObject {
  const secret = (name: string): string => canaries.value(`${door}-${name}`);
  return {
    usage_id: 'agent',
    model: 'openai/test-model',
    base_url: url,
    api_key: secret('key'),
    num_retries: 0,
    extra_headers: { 'X-Team-Key': secret('header') },
    aws_access_key_id: secret('aws-id'),
    aws_secret_access_key: secret('aws-secret'),
    aws_session_token: secret('aws-session'),
  };
}

/** MCP servers with a secret in every member that takes one. No server listens there. */
function mcpServers(canaries: Canaries, door: string): JsonObject {
  const secret = (name: string): string => canaries.value(`${door}-${name}`);
  const address = withPassword('http://127.0.0.1:9/mcp', secret('url-password'));
  return {
    remote: {
      url: `${address}?api_key=${encodeURIComponent(secret('url-parameter'))}`,
      headers: { Authorization: `Bearer ${secret('header')}` },
      auth: { strategy: 'bearer', value: secret('auth') },
      timeout: 1,
    },
    local: {
      command: 'false',
      args: ['--api-key', secret('argument')],
      env: { SERVICE_TOKEN: secret('env') },
      timeout: 1,
    },
  };
}

function conversation(places: Places, agent: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    agent: { kind: 'Agent', tools: [{ name: 'terminal', params: {} }], condenser: null, ...agent },
    workspace: { kind: 'LocalWorkspace', working_dir: join(places.cwd, 'work') },
    autotitle: false,
    ...more,
  };
}

/** Starts of conversations, each with other secrets. */
export function starts(canaries: Canaries, places: Places): Readonly<Record<string, JsonObject>> {
  const secret = (name: string): string => canaries.value(`start-${name}`);
  const { modelUrl: url } = places;
  const lookup = withPassword('http://127.0.0.1:9/secret', secret('lookup-password'));
  return {
    // the first runs, and its commands name its secrets
    working: conversation(
      places,
      {
        llm: { ...llm(canaries, 'start-llm', url), fallbacks: [llm(canaries, 'start-fallback', url)] },
        condenser: { kind: 'LLMSummarizingCondenser', max_size: 200, llm: llm(canaries, 'start-condenser', url) },
        agent_context: { secrets: { CONTEXT: { kind: 'StaticSecret', value: secret('context') } } },
      },
      {
        secrets: {
          TOKEN: { kind: 'StaticSecret', value: secret('static') },
          LOOKED_UP: {
            kind: 'LookupSecret',
            url: 'http://127.0.0.1:9/secret',
            headers: { 'X-Service-Key': secret('lookup-header') },
          },
        },
      },
    ),
    looking: conversation(
      places,
      { llm: llm(canaries, 'start-looking', url) },
      {
        secrets: {
          LOOKED_UP: { kind: 'LookupSecret', url: `${lookup}?token=${encodeURIComponent(secret('lookup-parameter'))}` },
        },
      },
    ),
    password: conversation(places, { llm: { ...llm(canaries, 'start-url', withPassword(url, secret('url'))) } }),
    refused: conversation(places, { llm: llm(canaries, 'start-refused', `${url}/refused`) }),
    servers: conversation(places, {
      llm: llm(canaries, 'start-servers', url),
      mcp_config: mcpServers(canaries, 'start-mcp'),
    }),
    analyzed: conversation(
      places,
      { llm: llm(canaries, 'start-analyzed', url) },
      { security_analyzer: { kind: 'GraySwanAnalyzer', api_key: secret('analyzer') } },
    ),
    criticised: conversation(places, {
      llm: llm(canaries, 'start-criticised', url),
      critic: {
        kind: 'APIBasedCritic',
        server_url: withPassword('http://127.0.0.1:9', secret('critic-url')),
        api_key: secret('critic'),
      },
    }),
    hooked: conversation(
      places,
      { llm: llm(canaries, 'start-hooked', url) },
      {
        hook_config: {
          pre_tool_use: [{ matcher: '*', hooks: [{ command: 'true', env: { HOOK_TOKEN: secret('hook') } }] }],
        },
      },
    ),
    helped: conversation(
      places,
      { llm: llm(canaries, 'start-helped', url) },
      {
        agent_definitions: [{ name: 'helper', mcp_config: mcpServers(canaries, 'start-helper') }],
        plugins: [{ source: withPassword('https://127.0.0.1:9/plugin.git', secret('plugin')) }],
      },
    ),
    settled: {
      agent_settings: {
        llm: llm(canaries, 'start-settings', url),
        mcp_config: mcpServers(canaries, 'start-settings-mcp'),
        verification: { critic_api_key: secret('settings-critic') },
      },
      workspace: { kind: 'LocalWorkspace', working_dir: join(places.cwd, 'work') },
      autotitle: false,
    },
  };
}

/** Returns the doors for data that a server keeps for its clients. */
export function kept(canaries: Canaries, { modelUrl: url }: Places): readonly Door[] {
  const secret = (name: string): string => canaries.value(`kept-${name}`);
  const servers = mcpServers(canaries, 'kept-added-mcp') as Record<string, JsonObject>;
  return [
    {
      method: 'PATCH',
      path: '/api/settings',
      body: {
        agent_settings_diff: {
          llm: { ...llm(canaries, 'kept-llm', withPassword(url, secret('url'))) },
          mcp_config: mcpServers(canaries, 'kept-mcp'),
          verification: { critic_api_key: secret('critic') },
          agent_context: { secrets: { CONTEXT: secret('context') } },
        },
      },
    },
    { method: 'POST', path: '/api/settings/mcp/added', body: servers['remote'] as JsonObject },
    { method: 'POST', path: '/api/settings/mcp/added2', body: servers['local'] as JsonObject },
    {
      method: 'PATCH',
      path: '/api/settings/mcp/added',
      body: { headers: { Authorization: `Bearer ${secret('patched-header')}` } },
    },
    { method: 'PUT', path: '/api/settings/secrets', body: { name: 'KEPT', value: secret('custom') } },
    {
      method: 'POST',
      path: '/api/profiles/kept',
      body: { llm: llm(canaries, 'kept-profile', withPassword(url, secret('profile-url'))), include_secrets: true },
    },
    { method: 'POST', path: '/api/profiles/kept/validate', body: { llm: llm(canaries, 'kept-validated', url) } },
    {
      method: 'POST',
      path: '/api/agent-profiles/kept',
      body: {
        agent_kind: 'openhands',
        llm_profile_ref: 'kept',
        llm: llm(canaries, 'kept-agent', withPassword(url, secret('agent-url'))),
        mcp_config: mcpServers(canaries, 'kept-agent-mcp'),
        verification: { critic_api_key: secret('agent-critic') },
      },
    },
    {
      method: 'POST',
      path: '/api/mcp/test',
      body: { server: mcpServers(canaries, 'kept-tried')['remote'] as JsonObject },
    },
    {
      method: 'POST',
      path: '/api/llm/provider-connections',
      body: {
        name: 'kept',
        provider: 'openai',
        api_key: secret('connection'),
        base_url: withPassword(url, secret('connection-url')),
      },
    },
    { method: 'POST', path: '/api/init', body: { secret_key: secret('init'), env: { INIT: secret('init-env') } } },
  ];
}

/** Returns the doors that change a conversation. */
export function changes(canaries: Canaries, id: string, { modelUrl: url }: Places): readonly Door[] {
  const secret = (name: string): string => canaries.value(`change-${name}`);
  const at = `/api/conversations/${id}`;
  return [
    {
      method: 'POST',
      path: `${at}/secrets`,
      body: {
        secrets: {
          ADDED: { kind: 'StaticSecret', value: secret('added') },
          SHORT: { kind: 'LookupSecret', url: 'http://127.0.0.1:9/', headers: { 'X-Key': secret('header') } },
        },
      },
    },
    {
      method: 'POST',
      path: `${at}/security_analyzer`,
      body: { security_analyzer: { kind: 'GraySwanAnalyzer', api_key: secret('analyzer') } },
    },
    { method: 'POST', path: `${at}/switch_llm`, body: { llm: llm(canaries, 'change-llm', url) } },
    {
      method: 'POST',
      path: `${at}/switch_llm`,
      body: { llm: llm(canaries, 'change-url', withPassword(url, secret('url'))) },
    },
  ];
}

/** Returns the request with an error at every secret, and a request that is cut off. */
export function mangled({ method, path, body }: Door): readonly { method: string; path: string; body: string }[] {
  const wrong = [
    mapTexts(body, (text) => [text]),
    mapTexts(body, (text) => ({ value: { nested: text } })),
    [body],
    JSON.stringify(body),
  ];
  const texts = wrong.map((one) => JSON.stringify(one));
  return [...texts, JSON.stringify(body).slice(0, -2)].map((text) => ({ method, path, body: text }));
}

function mapTexts(value: unknown, wrap: (text: string) => unknown): unknown {
  if (typeof value === 'string') return value.includes('cnry.') ? wrap(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, wrap));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, wrap)]));
}
