/**
 * One cycle in full: every request of a model as it stands in the record, every verdict with its trail, every call with its end.
 *
 * I1  The bytes of a request are those of its line: the journal wrote them with the same serialiser that writes them here.
 *
 * Source: springdrift 13 (cycle inspection, which was specified there and not built); design 1.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { ArchiveEvent } from '../../archive/event.ts';
import type { CycleEvent } from '../../cycle/event.ts';
import type { GateRecord } from '../../gate/chain/gate-record.ts';
import type { ModelRequest } from '../../request/model-request.ts';
import { renderCount } from '../figures.ts';
import { fromTable, type EventTable } from '../../part/event-table.ts';
import { eventOf } from '../../part/projection.ts';
import type { StoryStep, StoryText } from '../../part/story.ts';

type Of<K extends CycleEvent['kind']> = Extract<CycleEvent, { kind: K }>;

export interface RecordedRequest {
  readonly store: string;
  readonly seq: number;
  /** Id of the question. */
  readonly callId: string;
  /** Who asks: the cycle itself, a gate, the reader of long texts, or the Archivist. */
  readonly asks: 'Work' | 'Gate' | 'Reader' | 'Memory';
  readonly model: string;
  /** Canonical to the record: its SHA-256 is that of these bytes in the line, or in the blob that the line names. */
  readonly bytes: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface AuditedCall extends Omit<Of<'ToolRequested'>, 'kind'> {
  /** Place of the intent in the store `cycle`. */
  readonly seq: number;
  /** Absent: it is under way, or its result was lost. */
  readonly outcome?: Of<'ToolFinished'>['outcome'];
  readonly isLost?: true;
}

export type AuditedVerdict = Omit<Of<'GateDecided'>, 'kind'> & { readonly seq: number };

export interface CycleParts {
  /** In the order of the record. */
  readonly requests: readonly RecordedRequest[];
  readonly gates: readonly AuditedVerdict[];
  readonly calls: readonly AuditedCall[];
}

/** @param records  of one cycle or archiving, oldest first */
export function cycleParts(records: readonly JournalRecord[]): CycleParts {
  const events = records.map((record) => ({ seq: record.seq, event: eventOf<CycleEvent>(record) }));
  const finished = new Map(
    events.flatMap(({ event }) => (event.kind === 'ToolFinished' ? [[event.callId, event.outcome] as const] : [])),
  );
  const lost = new Set(events.flatMap(({ event }) => (event.kind === 'EffectLost' ? [event.callId] : [])));
  return {
    requests: records.flatMap((record) => requestIn(record) ?? []),
    gates: events.flatMap(({ seq, event }) => (event.kind === 'GateDecided' ? [{ ...withoutKind(event), seq }] : [])),
    calls: events.flatMap(({ seq, event }) => {
      if (event.kind !== 'ToolRequested') return [];
      const outcome = finished.get(event.callId);
      const end = outcome === undefined ? {} : { outcome };
      return [{ ...withoutKind(event), seq, ...end, ...(lost.has(event.callId) ? { isLost: true as const } : {}) }];
    }),
  };
}

function withoutKind<Event extends { readonly kind: string }>(event: Event): Omit<Event, 'kind'> {
  const { kind: _, ...others } = event;
  return others;
}

type Asked = Pick<RecordedRequest, 'callId' | 'asks'> & { readonly request: Pick<ModelRequest, 'model'> };

const asksOfCycle: EventTable<CycleEvent, [], Asked> = {
  ModelRequested: ({ callId, request }) => ({ callId, asks: 'Work', request }),
  GateScoreRequested: ({ askId, request }) => ({ callId: askId, asks: 'Gate', request }),
  ReadingRequested: ({ askId, request }) => ({ callId: askId, asks: 'Reader', request }),
};

const asksOfArchive: EventTable<ArchiveEvent, [], Asked> = {
  ArchiveAsked: ({ callId, request }) => ({ callId, asks: 'Memory', request }),
};

/** The request that a record holds; undefined where it holds none. */
export function requestIn(record: JournalRecord): RecordedRequest | undefined {
  const { store, seq } = record;
  const asked =
    store === 'cycle'
      ? fromTable(asksOfCycle, eventOf<CycleEvent>(record))
      : store === 'archive'
        ? fromTable(asksOfArchive, eventOf<ArchiveEvent>(record))
        : undefined;
  if (asked === undefined) return undefined;
  const { request, ...named } = asked;
  return { store, seq, ...named, ...bytesOf(request) };
}

function bytesOf(
  request: Pick<ModelRequest, 'model'>,
): Pick<RecordedRequest, 'model' | 'bytes' | 'sizeBytes' | 'sha256'> {
  const bytes = JSON.stringify(request);
  const encoded = new TextEncoder().encode(bytes);
  return { model: request.model, bytes, sizeBytes: encoded.length, sha256: sha256Hex(encoded) };
}

/** A step of the story with what only an audit shows: the request as it was recorded, and the whole trail of a verdict. */
export function auditedStep(step: StoryStep, record: JournalRecord): StoryStep {
  const request = requestIn(record);
  const asked = request === undefined ? [] : [requestText(request)];
  const event = record.store === 'cycle' ? eventOf<CycleEvent>(record) : undefined;
  const trails = event?.kind === 'GateDecided' && event.record !== undefined ? trailTexts(event.record) : [];
  return { ...step, texts: [...asked, ...trails, ...step.texts] };
}

function requestText({ sizeBytes, sha256, bytes }: RecordedRequest): StoryText {
  return { title: `request as recorded, ${renderCount(sizeBytes)} bytes, sha256 ${sha256}`, text: bytes };
}

function trailTexts({ policies }: GateRecord): readonly StoryText[] {
  return policies
    .filter(({ trail }) => trail.length > 0)
    .map(({ policy, trail }) => ({
      title: `trail of policy ${policy}`,
      text: trail
        .map(
          ({ claim, commitment, rule, severity, outcome }) =>
            `${claim} × ${commitment}: ${rule}, ${severity}, ${outcome}`,
        )
        .join('\n'),
    }));
}
