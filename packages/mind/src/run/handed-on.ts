/**
 * The label that the cycles of a run hand on: the worst label of what it was asked with and of all ended cycles, since later texts
 * contain their words.
 *
 * I1  Once a cycle has read untrusted text, every later cycle of the run carries its label, whatever its role. A run that was asked
 *     with untrusted words carries their label from its first cycle on, and nothing in them counts as people's.
 *     What the agent wrote for itself is not people's either, but for the addresses that they named where the job was made.
 * I2  The people's addresses are fixed before the run reads anything: the Task's, and those of the answers to questions.
 *
 * Source: design 5; reliability-security 4. Differs: a step that was told nothing of another one carries its label all the same;
 * that is rather too much than a gap.
 */
import { caseLinesIn } from '../assemble/case-text.ts';
import { addressesIn } from '../gate/provenance/addresses.ts';
import { join, OWNER, readersOf, type Label } from '../gate/provenance/label.ts';
import { ofTheTask } from '../gate/provenance/read-so-far.ts';
import { quotableWords, wordsSearch } from '../gate/provenance/held-words.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import type { CycleSpec } from '../cycle/event.ts';
import { answersInWork } from './people-answers.ts';
import { callsOf, endsOf, received, type RunState } from './state.ts';

/** Most files that the run's cycles know to be its own, the newest: the list is in the start of each cycle. */
const WRITTEN_MAX = 1_000;

/** Addresses that a cycle is told of: more than a run may ask for, by its budget of calls. */
const ASKED_MAX = 1_000;

/** Characters of quoted outputs in the start of a cycle: as many as a probe reads. With more, the whole input counts as untrusted. */
const WORDS_CHARACTERS_MAX = 24_000;

/** Label of everything that the run has read so far. */
export function labelOfRun(state: Pick<RunState, 'roleCycles' | 'spec'>): Label {
  const { principal = OWNER, label: asked } = state.spec;
  const own = ofTheTask(readersOf(principal));
  return endsOf(state)
    .map(({ label }) => label)
    .reduce(join, asked === undefined ? own : join(own, asked));
}

function isAskedByOthers({ label }: RunState['spec']): boolean {
  return label?.trust === 'Untrusted';
}

/** The agent wrote the words of this request for itself. Whoever told it to, no person did so in front of a gate. */
function isAskedByItself({ cause }: RunState['spec']): boolean {
  return cause.kind === 'Job' && cause.maker === 'Agent';
}

/** Whether people wrote what the run was asked with. */
export function isAskedByPeople(spec: RunState['spec']): boolean {
  return !isAskedByOthers(spec) && !isAskedByItself(spec);
}

/** The record whose words the run was asked with. */
function askedIn({ cause, runId }: RunState['spec']): string {
  if (cause.kind === 'Job') return cause.jobId;
  return cause.kind === 'Mail' ? cause.letterId : runId;
}

/** What was untrusted first, with the label of all: the job that asked, or a cycle that has read; undefined when nothing was. */
export function handedOn(
  state: Pick<RunState, 'roleCycles' | 'spec'>,
): NonNullable<CycleSpec['handedOn']>[number] | undefined {
  if (isAskedByOthers(state.spec)) return { recordId: askedIn(state.spec), label: labelOfRun(state) };
  const recordId = endsOf(state).find(({ label }) => label.trust === 'Untrusted')?.cycleId;
  if (recordId === undefined) return undefined;
  return { recordId, label: { ...labelOfRun(state), source: { kind: 'Subtask', name: recordId } } };
}

/** Addresses that people named: in the Task, and in answers. */
export function namedAddresses(state: RunState): string[] {
  const { spec } = state;
  const own = spec.cause.kind === 'Job' && !isAskedByOthers(spec) ? (spec.cause.named ?? []) : [];
  const asked = isAskedByPeople(spec) ? (spec.addresses ?? []) : own;
  return [...new Set([...asked, ...answersOf(state).flatMap(addressesIn)])];
}

/** The people's words: the Task's, and answers. */
export function askedOf(state: RunState): string {
  return isAskedByPeople(state.spec) ? requestOf(state) : answersOf(state).join('\n');
}

/** The words of the request and of answers, whoever's they are. */
export function requestOf(state: RunState): string {
  const { intent, scope, criteria } = state.spec;
  return [intent, scope ?? '', ...criteria.map(({ text }) => text), ...answersOf(state)].join('\n');
}

function answersOf(state: RunState): readonly string[] {
  const before = received(state, 'ClarificationAnswer').map(({ payload }) => payload.text ?? '');
  return [...before, ...answersInWork(state).map(({ text }) => text)];
}

/** The provenance for a cycle of this run: the label and the addresses, the people's request, and the remembered facts and cases. */
export function provenanceOf(
  state: RunState,
  input: string,
  tools: KnownTools,
): Pick<
  CycleSpec,
  | 'handedOn'
  | 'addresses'
  | 'asked'
  | 'remembered'
  | 'ownWords'
  | 'principal'
  | 'readers'
  | 'owners'
  | 'confidential'
  | 'freeSites'
  | 'askedOutside'
  | 'written'
> {
  const { confidential } = state.spec;
  const remembered = [state.spec.remembered ?? '', ...caseLinesIn(input)].filter((it) => it !== '').join('\n');
  const freeSites = [...new Set(endsOf(state).flatMap((it) => it.freeSites ?? []))];
  const asked = endsOf(state).flatMap((it) => it.askedOutside ?? []);
  const handed = handedOn(state);
  const own = callsOf(state).filter(({ replacedByLeave }) => replacedByLeave !== true);
  const written = [...new Set(own.flatMap(({ files, links = [] }) => [...files.map(({ path }) => path), ...links]))];
  const addresses = namedAddresses(state);
  return {
    ...(handed === undefined ? {} : { handedOn: [{ ...handed, ...quotedIn(state, input, tools) }] }),
    ...(addresses.length === 0 ? {} : { addresses }),
    asked: askedOf(state),
    ...(remembered === '' ? {} : { remembered }),
    ...(isAskedByItself(state.spec) ? { ownWords: requestOf(state) } : {}),
    ...readersOfCycle(state),
    ...(confidential === undefined ? {} : { confidential }),
    ...(freeSites.length === 0 ? {} : { freeSites }),
    ...(asked.length === 0 ? {} : { askedOutside: asked.slice(-ASKED_MAX) }),
    ...(written.length === 0 ? {} : { written: written.slice(-WRITTEN_MAX) }),
  };
}

/** Whom the run is for; and who may read what it has read, where that is less than what is its principal's. */
function readersOfCycle(state: RunState): Pick<CycleSpec, 'principal' | 'readers' | 'owners'> {
  const { principal, owners } = state.spec;
  const own = readersOf(principal ?? OWNER);
  const { readers } = labelOfRun(state);
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(String(readers) === String(own) ? {} : { readers }),
    ...(owners === undefined ? {} : { owners }),
  };
}

/**
 * The outputs in untrusted cycles that an input quotes; nothing if the whole input may be dictated by what was read, or if there are
 * too many to say.
 */
function quotedIn(
  state: Pick<RunState, 'roleCycles' | 'spec'>,
  input: string,
  known: KnownTools,
): { readonly words?: string[] } {
  if (isAskedByOthers(state.spec)) return {};
  const read = endsOf(state)
    .filter(({ label }) => label.trust === 'Untrusted')
    .flatMap(({ calls }) => calls)
    .filter(({ tool, status }) => status !== 'Unrun' && known.factsOf(tool).output.trust === 'Untrusted')
    .map(({ tool, status, output, othersAt }) => quotableWords(known.factsOf(tool), status === 'Ok', output, othersAt));
  const texts = new Set(read.flatMap((words) => words ?? []));
  const words = [...texts].filter(wordsSearch(input));
  const isTooMuch = words.reduce((sum, { length }) => sum + length, 0) > WORDS_CHARACTERS_MAX;
  return read.includes(undefined) || isTooMuch ? {} : { words };
}
