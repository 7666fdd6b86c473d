/**
 * Hooks around an agent's work: commands and functions, from code or .openhands/hooks.json.
 *
 * @packageDocumentation
 */
export {};
