import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { absent, boolean, kept, keptAs, orNull, request } from '../../schema/index.ts';

const tag = 'Desktop';
const errors = { 503: 'The server has no editor or desktop.' };

/** Routes of the editor and the desktop in a browser. */
export const desktopRoutes = {
  getEditorUrl: defineRoute(tag, 'GET /api/vscode/url', 'get_vscode_url', 'Get the URL of the editor', {
    scope: 'admin',
    query: request({ base_url: orNull(z.string()), workspace_dir: z.string().default('workspace') }),
    answer: keptAs('VSCodeUrlResponse', { url: z.nullable(z.string()) }),
    errors,
  }),

  /** Tells if there is an editor; answers 200 in both cases. */
  getEditorStatus: defineRoute(tag, 'GET /api/vscode/status', 'get_vscode_status', 'Check for an editor', {
    scope: 'admin',
    answer: kept({ running: boolean(), enabled: boolean(), message: absent(z.nullable(z.string())) }),
  }),

  getDesktopUrl: defineRoute(tag, 'GET /api/desktop/url', 'get_desktop_url', 'Get the URL of the desktop', {
    scope: 'admin',
    query: request({ base_url: z.string().default('http://localhost:8002') }),
    answer: keptAs('DesktopUrlResponse', { url: z.nullable(z.string()) }),
    errors,
  }),
};
