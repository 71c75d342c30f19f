import type { PartCommand } from '@retainer/mind/parts/derived';

type Said<Command> = Command extends { readonly reason: string } ? Omit<Command, 'by' | 'knownBy' | 'reason'> : never;

/** What a person says of memory, without who says it and why. */
export type MemoryWord = Said<PartCommand>;
