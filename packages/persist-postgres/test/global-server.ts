import type { TestProject } from 'vitest/node';
import { PostgresServer } from '@conv/testing-postgres-server';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of the whole run; each test has a schema of its own. */
    readonly postgresUrl: string;
  }
}

/** Starts one server for all test files. A machine that cannot run it fails the whole suite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  project.provide('postgresUrl', server.url());
  return () => server.stop();
}
