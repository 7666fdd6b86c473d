/**
 * A real PostgreSQL server for tests, from the binaries of an npm package: no installation, no root, a free port, a folder that
 * goes away with it.
 *
 * @packageDocumentation
 */
export { NOBODY, PostgresServer, type ConnectionOverrides } from './postgres-server.ts';
