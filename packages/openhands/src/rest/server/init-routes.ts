import { z } from 'zod';
import { keptAs, named, orNull } from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';

const tag = 'Init';
const absent = { 404: 'The server was configured when it started.' };

/** The state of a server that is configured by a request. */
const initStatusSchema = keptAs('InitStatus', {
  state: named('InitState', z.enum(['dormant', 'initializing', 'ready'])),
  error: orNull(z.string()),
});

/** Routes by which a server that waits for its configuration gets it. */
export const initRoutes = {
  getInitStatus: defineRoute(tag, 'GET /api/init', 'get_init_status', 'Get the state of the configuration', {
    auth: 'none',
    scope: 'none',
    answer: initStatusSchema,
    errors: absent,
  }),

  /** A server that waits has no keys yet, so that the request has another authentication than all others. */
  initialize: defineRoute(tag, 'POST /api/init', 'initialize_server', 'Configure a server that waits for it', {
    auth: 'none',
    scope: 'none',
    body: keptAs('InitRequest', {}),
    answer: initStatusSchema,
    errors: absent,
  }),
};
