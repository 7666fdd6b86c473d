import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';

import { modelFromDescription, modelProfiles, reviveSecurityAnalyzer } from '@conv/agent';
import { reviveHooks } from '@conv/hooks';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { agentServer, Keep } from '@conv/server';
import { openStore } from '@conv/stores';
import { createStuckDetector } from '@conv/stuck';
import { shellEnvironment } from '@conv/tools';
import Fastify from 'fastify';
import type { Logger } from 'pino';

import { agentsWith, toolNames } from './agents.ts';
import type { Configuration } from './configuration/configuration.ts';
import { knowledge } from './knowledge.ts';
import { keptSecretKey } from './secret-key.ts';

/** A server that takes requests. */
export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Interrupts runs, stores everything, closes all connections. Idempotent. */
  close(): Promise<void>;
}

/** Starts a server. Resolves when it takes requests; rejects when its store cannot be opened or its port is taken. */
export async function startAgentServer(configuration: Configuration, log: Logger): Promise<RunningServer> {
  const { conversationsFolder, workspaceFolder, settingsFolder, sessionKeys, allowedFolders } = configuration;
  await Promise.all([conversationsFolder, workspaceFolder].map((folder) => mkdir(folder, { recursive: true })));
  const cipher = fernetCipher(configuration.secretKey ?? (await keptSecretKey(settingsFolder)));
  const keep = new Keep(settingsFolder, cipher);
  const profiles = modelProfiles({ directory: settingsFolder, cipher });
  const opened = await openStore(configuration.store, { report: (finding) => log.warn(finding, 'store') });
  const app = Fastify({ trustProxy: true, requestTimeout: 0, return503OnClosing: true });
  // lookups of clients name routes of this server without its address
  let ownUrl: string | undefined;
  const server = agentServer({
    store: opened.store,
    persistenceDir: opened.address.kind === 'fs' ? opened.address.directory : conversationsFolder,
    agents: agentsWith(profiles, (tool) =>
      log.warn({ tool }, 'an agent was made without a tool that is not known here'),
    ),
    cipher,
    secrets: (options) => createSecretVault({ ...options, baseUrl: ownUrl }),
    analyzers: reviveSecurityAnalyzer,
    hooks: reviveHooks(),
    stuckDetector: createStuckDetector(),
    models: async (llm) => modelFromDescription(llm),
    profiles: keep,
    keep,
    knowledge,
    about: { tools: toolNames },
    machine: { workingDirectory: workspaceFolder, environment: shellEnvironment(), allowedFolders },
    ...(allowedFolders.includes('/') ? {} : { workspaceRoots: allowedFolders }),
    sessionKeys,
    cors: {
      origins: configuration.corsOrigins,
      ...(configuration.corsOriginPattern === undefined
        ? {}
        : { originPattern: new RegExp(configuration.corsOriginPattern) }),
    },
    maxConcurrentRuns: configuration.maxConcurrentRuns,
    idleTimeout: configuration.idleSeconds * 1000,
    report: (error, about) => log.error({ err: error, ...about }, 'failed'),
  });
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    try {
      await app.close();
    } finally {
      await opened.close();
    }
  };
  const close = (): Promise<void> => (closing ??= end());
  try {
    await app.register(server);
    await app.listen({ host: configuration.host, port: configuration.port });
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  ownUrl = `http://127.0.0.1:${port}`;
  return { url: urlOf(configuration.host, port), close };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
