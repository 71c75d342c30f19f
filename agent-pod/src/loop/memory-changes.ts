/** A person's change of memory as the command of the one writer. Pure. */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { MemoryChange } from '@retainer/mind/memory/person-changes';
import type { Projections } from '@retainer/mind/projections/projections';
import type { MemoryCommand } from './memory-writer.ts';

/** The states that tell which changes each store holds. */
const changesIn = {
  fact: 'factChanges',
  megram: 'megramChanges',
  narrative: 'runChanges',
  case: 'caseChanges',
} as const satisfies Readonly<Record<string, keyof Projections['states']>>;

type Change = Extract<MemoryCommand<'Person'>, { readonly store: keyof typeof changesIn }>;

interface Given {
  /** Of the command. */
  readonly originId: string;
  /** The bare name of the person. */
  readonly by: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Undefined: an earlier process wrote it, and died before it could say so. */
export function freshChange(
  known: Projections['states'],
  change: MemoryChange,
  given: Given,
): MemoryCommand<'Person'> | undefined {
  const command = changeOf(change, given);
  return known[changesIn[command.store]].has(given.originId) ? undefined : command;
}

/** Hexadecimal digits of a lesson's id: practically unique within one agent. */
const LESSON_ID_DIGITS = 12;

function changeOf(change: MemoryChange, { by, reason, originId, atMs }: Given): Change {
  switch (change.what) {
    case 'Remember':
      return {
        store: 'fact',
        kind: 'FactWritten',
        payload: { ...saidBy(by), ...factOf(change), reason, originId },
        by,
      };
    case 'Teach': {
      const { what: _, ...lesson } = change;
      const id = `lesson-${sha256Hex(originId).slice(0, LESSON_ID_DIGITS)}`;
      return { store: 'megram', kind: 'MegramLearned', payload: { id, ...lesson, atMs, by, reason, originId }, by };
    }
    case 'ForgetFact':
      return { store: 'fact', kind: 'FactCleared', payload: { key: change.key, by, reason, originId }, by };
    case 'ForgetMegrams':
      return { store: 'megram', kind: 'MegramForgotten', payload: { ids: change.ids, by, reason, originId }, by };
    case 'EndorseMegrams':
      return { store: 'megram', kind: 'MegramEndorsed', payload: { ids: change.ids, by, reason, originId }, by };
    case 'CurateCase': {
      const { caseId, how } = change;
      return { store: 'case', kind: 'CaseCurated', payload: { caseId, how, by, reason, originId }, by };
    }
    case 'ImportRun': {
      const { what: _, ...entry } = change;
      const payload = { ...entry, label: ofOthers(entry.system), by, reason, originId };
      return { store: 'narrative', kind: 'RunImported', payload, runId: `${entry.system}-${entry.entryId}`, by };
    }
    case 'ForgetRun':
    case 'EndorseRun': {
      const as = change.what === 'ForgetRun' ? 'Forgotten' : 'Endorsed';
      const payload = { as, by, reason, originId } as const;
      return { store: 'narrative', kind: 'RunAmended', payload, runId: change.runId, by };
    }
  }
}

function factOf({ key, value }: Extract<MemoryChange, { what: 'Remember' }>) {
  const evidence: string[] = [];
  return { key, value, scope: 'Persistent', derivation: 'OperatorProvided', confidence: 1, evidence } as const;
}

/** Another system's memory may hold anybody's words. */
function ofOthers(name: string) {
  return { source: { kind: 'Memory', name }, trust: 'Untrusted', readers: 'Principal' } as const;
}

/** A person directs the agent by a fact as by a Task. */
function saidBy(name: string) {
  return { label: { source: { kind: 'Person', name }, trust: 'Trusted', readers: 'Principal' } } as const;
}
