/** What follows from the list of the parts that touch the world. */
import { invariant } from '@retainer/contract/std/invariant';
import type { Registry } from 'prom-client';
import type { Recorded } from '@retainer/mind/part/projection';
import type { PartRecord } from '@retainer/mind/part/store';
import { commandsOfParts, type PartCommand, type StatesOfParts } from '@retainer/mind/parts/derived';
import type { Component } from '../ports/component.ts';
import { podParts } from './parts.ts';
import type { Machines, Tended } from './pod-part.ts';

const names = podParts.map(({ name }) => name);
invariant(new Set(names).size === names.length, `a part is in the list twice: ${names.toSorted().join(', ')}`);

/** The records that a command comes to; undefined: it addresses a machine, see `carryOutOfParts`. */
export function decideOfParts(
  known: StatesOfParts,
  command: PartCommand,
  given: { readonly originId: string; readonly atMs: number },
): readonly PartRecord[] | undefined {
  const { type, knownBy: _, ...said } = command;
  return commandsOfParts[type]?.decide?.(known as never, said, given);
}

/** Hands a command to the machine that it addresses. */
export async function carryOutOfParts(machines: Machines, command: PartCommand): Promise<void> {
  for (const { carries = {} } of podParts) {
    const carry = carries[command.type] as ((machines: Machines, command: PartCommand) => Promise<void>) | undefined;
    if (carry !== undefined) return carry(machines, command);
  }
  return invariant(false, `no part carries out ${command.type}`);
}

export function componentsOfParts(tended: Tended): readonly Component[] {
  return podParts.flatMap((part) => part.components?.(tended) ?? []);
}

/** @returns what counts each durable record */
export function metricsOfParts(registry: Registry): (record: Recorded) => void {
  const counting = podParts.flatMap((part) => part.metrics?.(registry) ?? []);
  return (record) => {
    for (const count of counting) count(record);
  };
}
