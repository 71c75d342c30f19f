/**
 * R5, Memory, within the run: the shell reads and writes it, and feeds back the answers. The role formats nothing, and
 * nobody waits for a write.
 *
 * Source: artoo A.10, A.11, A.2 (reads are request and response on the bus).
 */
import type { Role } from './role.ts';

export const memory: Role = { reads: { MemoryRead: () => undefined, MemoryWrite: () => undefined } };
