import { bashRoutes, commandRoutes, eventRoutes, fileRoutes, settingsRoutes } from '@conv/openhands/rest';

/**
 * Routes that decide what runs, run something that nobody is asked about, or tell a value that agents are kept from. Starting a conversation and running one need the right in some
 * cases only, which their handlers know.
 */
export const APPROVER_ROUTES: ReadonlySet<string> = new Set(
  [
    eventRoutes.approve,
    eventRoutes.reject,
    eventRoutes.respondToConfirmation,
    commandRoutes.setConfirmationPolicy,
    commandRoutes.setSecurityAnalyzer,
    bashRoutes.execute,
    settingsRoutes.getSecret,
    bashRoutes.start,
    fileRoutes.upload,
    fileRoutes.createDirectory,
  ].map(({ operationId }) => operationId),
);
