/**
 * The conversations of adapters: `here` for hosted conversations of the process, `remote` for conversations of a client of the server, `served` for the
 * conversations that the built server gives to its protocols, `fleet` for the same of a server of a fleet, `other` for conversations of another server of the
 * fleet.
 */
export type Way = 'here' | 'remote' | 'served' | 'fleet' | 'other';
