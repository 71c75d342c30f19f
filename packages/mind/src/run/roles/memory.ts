/**
 * R5, Memory, as far as the run is concerned: what is in it is asked for and written by the shell, which feeds back what it
 * answered. It formats nothing, and nobody waits for a write.
 *
 * Source: artoo A.10, A.11, A.2 (reads are request and response on the bus).
 */
import type { Role } from './role.ts';

export const memory: Role = { reads: { MemoryRead: () => undefined, MemoryWrite: () => undefined } };
