import { bashRoutes, commandRoutes, eventRoutes, fileRoutes, settingsRoutes } from '@conv/openhands/rest';

/**
 * Routes that decide which actions run, run something without approval, or reveal a value that is kept from agents. Starting and
 * running a conversation need the approver right in some cases only, which their handlers check.
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
