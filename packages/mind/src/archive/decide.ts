/**
 * The archiving of one ended run as a pure decision: reflect in plain text, put it into a form, check it, write it.
 *
 * I1  Every path ends in one `ArchiveConcluded`: without a usable answer, in what code alone would write.
 * I2  A call is made again only if its answer was lost, or had not the form; each as often as its limit says.
 *
 * Source: springdrift 4 (pipeline of the Archivist).
 */
import { fallenBack, remembranceOf } from './conclude.ts';
import type { ArchiveEvent, ArchiveEventOf, ArchiveInput } from './event.ts';
import { evolveArchive } from './evolve.ts';
import { curateRequest, reflectRequest, type Asking } from './requests.ts';
import type { ArchiveState } from './state.ts';

/** A process that dies twice in one call will not hear it: the run is remembered as code has it. */
const LOST_MAX = 2;

/** Of these nothing is told: a model that reads of refusals learns to refuse. Source: springdrift 15. */
const untold: ReadonlySet<string> = new Set(['Refused']);

/** @returns the input and the decisions on it, in order; empty when the input is stale */
export function decideArchive(state: ArchiveState | undefined, input: ArchiveInput): readonly ArchiveEvent[] {
  if (state === undefined ? input.kind !== 'ArchiveOpened' : isStale(state, input)) return [];
  return [input, ...decisionsOn(evolveArchive(state, input), input)];
}

function isStale(state: ArchiveState, input: ArchiveInput): boolean {
  if (state.isClosed) return true;
  switch (input.kind) {
    case 'ArchiveOpened':
      return true;
    case 'DecidersChanged':
      return input.deciders === state.deciders;
    case 'ArchiveBegun':
      return state.hasBegun;
    case 'ArchiveAnswered':
      return state.pending?.callId !== input.callId;
    case 'ArchiveCutShort':
      return state.concluded !== undefined;
    case 'ArchiveWritten':
      return state.concluded === undefined;
  }
}

function decisionsOn(state: ArchiveState, input: ArchiveInput): readonly ArchiveEvent[] {
  switch (input.kind) {
    case 'ArchiveOpened':
    case 'DecidersChanged':
      return [];
    case 'ArchiveBegun':
      return begin(state, input.unasked);
    case 'ArchiveAnswered':
      return takeAnswer(state, input);
    case 'ArchiveCutShort':
      return [fallenBack(state, input.reason)];
    case 'ArchiveWritten':
      return [{ kind: 'ArchiveClosed', status: state.concluded?.reflected.status ?? 'Fallback' }];
  }
}

function begin(state: ArchiveState, unasked: string | undefined): readonly ArchiveEvent[] {
  const { model, account } = state.opened;
  if (untold.has(account.outcome))
    return [fallenBack(state, `nothing is told of a run that ended as ${account.outcome}`)];
  if (model === undefined) return [fallenBack(state, 'the Archivist has no model')];
  if (unasked !== undefined) return [fallenBack(state, unasked)];
  return [ask({ state, model })];
}

function takeAnswer(state: ArchiveState, answer: ArchiveEventOf<'ArchiveAnswered'>): readonly ArchiveEvent[] {
  const { model } = state.opened;
  if (model === undefined) return [fallenBack(state, 'the Archivist has no model')];
  if (answer.isLost === true && state.lost <= LOST_MAX) return [ask({ state, model })];
  if (answer.text === undefined) return [fallenBack(state, answer.reason ?? 'the answer was lost')];
  if (answer.value !== undefined) return [remembranceOf(state, answer.value, answer.model ?? model.model)];
  if (state.malformed.length > model.structuredRetries)
    return [fallenBack(state, `the answer had not the form that was asked for, ${state.malformed.length} times`)];
  return [ask({ state, model })];
}

/** What is missing next: the reflection, or its form. */
function ask(asking: Asking): ArchiveEventOf<'ArchiveAsked'> {
  const { opened, asked, reflection } = asking.state;
  const callId = `${opened.account.runId}-archive-m${asked + 1}`;
  return reflection === undefined
    ? { kind: 'ArchiveAsked', callId, step: 'Reflect', request: reflectRequest(asking) }
    : { kind: 'ArchiveAsked', callId, step: 'Curate', request: curateRequest(asking, reflection) };
}
