/**
 * Reads the specs of client tools, and makes tools of them.
 *
 * @module
 */
export {
  clientToolIssues as issuesOf,
  oversizedClientTools as oversized,
  parseClientTool as parse,
  readClientTool as read,
} from '../state/client-tool-spec.ts';
export { clientTool as toTool } from './client-tool.ts';
