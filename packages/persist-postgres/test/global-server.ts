import type { TestProject } from 'vitest/node';
import { PostgresServer } from '@conv/testing-postgres-server';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the server of the whole test run; each test has its own schema. */
    readonly postgresUrl: string;
  }
}

/** Starts one server for all test files. A machine that cannot run it fails the whole suite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  project.provide('postgresUrl', server.url());
  return () => server.stop();
}
