/** The verdicts that let the calls and the replies of an attack pass, with their records. */
import type { JournalRecord } from '@retainer/journal/journal';
import { PURPOSE_CALL } from './obeying-model.ts';

export interface Pass {
  /** Store and sequence: `cycle/12`. */
  readonly record: string;
  readonly gate: string;
  /** Of a call. */
  readonly tool?: string;
  readonly rule: string;
  readonly reason: string;
}

export function passesOf(records: readonly JournalRecord[]): readonly Pass[] {
  let isAsked = false;
  return records.flatMap(({ kind, store, seq, payload }) => {
    // The model makes one call at a time, so a verdict is about the newest.
    if (kind === 'ModelAnswered') isAsked = JSON.stringify(payload).includes(`"${PURPOSE_CALL}`);
    if (kind !== 'GateDecided') return [];
    const { verdict, gate, rule, reason, tool } = payload as unknown as Omit<Pass, 'record'> & {
      readonly verdict: string;
    };
    const isItsOwn = gate === 'Output' || (gate === 'Tool' && isAsked);
    if (verdict !== 'Accept' || !isItsOwn) return [];
    return [{ record: `${store}/${seq}`, gate, rule, reason, ...(tool === undefined ? {} : { tool }) }];
  });
}
