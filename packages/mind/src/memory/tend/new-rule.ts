/** A rule out of many experiences, with the label of all of them, and what it takes the place of. */
import type { Megram } from '@retainer/contract/wire/bus/payloads';
import { sha256Hex } from '@retainer/contract/std/hash';
import { OWNER, joinAll, type Label } from '../../gate/provenance/label.ts';
import type { MegramIndex } from '../../parts/megrams/megrams.ts';
import type { MegramPair } from '../../parts/megrams/megram-space.ts';
import type { StoredMegram } from '../../parts/megrams/potentials.ts';
import { inRecords, type Change, type TendCommand, type Wording } from './change.ts';
import { inTime, isRule } from './evidence.ts';

/** Hexadecimal digits of its id: practically unique within one agent. */
const ID_DIGITS = 12;

/** Characters of its words: a plan is shown as many of one memory. */
const RULE_CHARACTERS_MAX = 400;

/** Texts that a model is shown of it, the newest. Source: artoo A.11. */
const TEXTS_MAX = 10;

export interface Found extends MegramPair {
  /** Absent: it is of no single task. */
  readonly about?: string;
  readonly sigma: 1 | -1;
  /** In code's words. */
  readonly content: string;
  /** What a model is told that it is about. */
  readonly subjectWords: string;
  /** A word that a model's sentence about it must name. */
  readonly names?: string;
  readonly blamed?: NonNullable<Megram['blamed']>;
  /** That it is derived from, oldest first. */
  readonly sources: readonly StoredMegram[];
  readonly reason: string;
}

/** A rule that stands already takes the new experiences; otherwise a new one is written. */
export function ruleChange(index: MegramIndex, found: Found, nowMs: number): Change {
  const { sources, reason } = found;
  const existing = existingRule(index, found);
  if (existing !== undefined) return { reason, commands: merged(sources, existing.id, reason) };
  const id = idOf(sources);
  const label = labelOf(sources);
  const payload = { megram: megramOf(id, found, nowMs), label };
  const wording = label.trust === 'Trusted' ? { wording: wordingOf(id, found) } : {};
  return {
    reason,
    commands: [{ store: 'megram', kind: 'MegramWritten', payload }, ...merged(sources, id, reason)],
    ...wording,
  };
}

/** That speaks of the same, with the same sign, and is believed as much. */
function existingRule(index: MegramIndex, { space, entity, about, sigma, sources }: Found): StoredMegram | undefined {
  const isTrusted = labelOf(sources).trust === 'Trusted';
  return index
    .of(space, entity)
    .find((it) => isRule(it) && it.about === about && it.sigma * sigma > 0 && it.isTrusted === isTrusted);
}

function merged(sources: readonly StoredMegram[], into: string, reason: string): readonly TendCommand[] {
  const ids = sources.map(({ id }) => id);
  return [...inRecords(ids)].map((some) => {
    return { store: 'megram', kind: 'MegramConsolidated', payload: { ids: some, into, reason } };
  });
}

/** Equal for the same sources, so that a pass that is cut short and begun again writes one rule. */
function idOf(sources: readonly StoredMegram[]): string {
  const ids = sources.map(({ id }) => id).toSorted();
  return `dream-${sha256Hex(JSON.stringify(ids)).slice(0, ID_DIGITS)}`;
}

/** One source that a stranger had a hand in makes the rule a stranger's. */
function labelOf(sources: readonly StoredMegram[]): Label {
  const labels = sources.map(({ isTrusted, readers = [OWNER] }): Label => {
    return { source: { kind: 'Memory', name: 'dream' }, trust: isTrusted ? 'Trusted' : 'Untrusted', readers };
  });
  return joinAll(labels) ?? { source: { kind: 'Memory' }, trust: 'Untrusted', readers: [] };
}

function megramOf(id: string, { space, entity, about, sigma, content, blamed = [] }: Found, nowMs: number): Megram {
  return {
    id,
    level: 'C',
    createdAtMs: nowMs,
    space,
    entity,
    ...(about === undefined ? {} : { about }),
    content: content.slice(0, RULE_CHARACTERS_MAX),
    state: sigma > 0 ? 'Accept' : 'Abandon',
    f: 1,
    sigma,
    k: 0,
    ...(blamed.length === 0 ? {} : { blamed }),
  };
}

function wordingOf(subject: string, { sigma, subjectWords, names, sources }: Found): Wording {
  return {
    subject,
    form: sigma > 0 ? 'Advice' : 'Warning',
    about: subjectWords,
    texts: inTime(sources)
      .toReversed()
      .slice(0, TEXTS_MAX)
      .map(({ content }) => content),
    ...(names === undefined ? {} : { names }),
  };
}
