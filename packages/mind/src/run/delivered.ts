/**
 * What a run shows to people: each of its texts passes the rules of a reply, also one that only quotes a reply (a reason, a gap, a
 * claim). Nobody can be asked for another text any more, so the text is changed.
 *
 * I1  No text holds a key of the instructions, of memory, or of a file that the Task does not name: it is withheld as a whole.
 * I2  After untrusted text, and in work that the agent gave itself, every address is inert text, unless people named it or the instructions hold it.
 * I3  Of a run for somebody else than the owner, no text holds anything telling that this one may not read: it is withheld as a whole.
 *
 * Source: reliability-security 4 (image and link addresses in rendered output, data split or encoded).
 */
import { mapTexts } from '@retainer/contract/std/canonical-json';
import { parseJson } from '@retainer/contract/std/parse-json';
import { addressesIn, type WrittenAddress } from '../gate/provenance/addresses.ts';
import { told } from '../gate/provenance/flow-policies.ts';
import { inertText } from '../gate/provenance/inert.ts';
import type { ReadItem, ReadSoFar } from '../gate/provenance/read-item.ts';
import { keySource } from '../gate/provenance/reply-policy.ts';
import { READERS_RULE, unreadableSearch } from '../gate/provenance/readers-policy.ts';
import { toolResultLabel } from '../gate/provenance/tool-result-label.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import type { RunEventOf } from './event.ts';
import { askedOf, isAskedByPeople, labelOfRun, namedAddresses } from './handed-on.ts';
import { callsOf, type RunState } from './state.ts';

type Result = Omit<RunEventOf<'RunConcluded'>, 'kind'>;

/** The fields that may quote a model. The others are numbers, ids, what code says, and names of files. */
const SPOKEN = ['summary', 'reasons', 'criteria', 'unmet', 'unsupported', 'refusal'] as const;

const INERT_NOTE =
  '[gate] Addresses from what was read are written so that nothing opens them: take the brackets from [:] and [.] to follow one.';

/** @param summaryCharactersMax  of the summary with its note */
export function deliverable(state: RunState, known: KnownTools, result: Result, summaryCharactersMax: number): Result {
  const change = changerOf(state, known);
  const spoken = Object.fromEntries(
    SPOKEN.flatMap((field) => (result[field] === undefined ? [] : [[field, result[field]]])),
  );
  const changed = mapTexts(spoken, change.text) as unknown as typeof result;
  // A model chose the names of its files, too.
  const files = result.files.map((file) => ({ ...file, path: change.withheld(file.path, 'files') ?? file.path }));
  const { inert, withheld } = change.made;
  if (inert === 0 && withheld.length === 0) return result;
  const note = inert === 0 ? '' : `\n\n${INERT_NOTE}`;
  const summary = changed.summary.slice(0, summaryCharactersMax - note.length) + note;
  return { ...result, ...changed, summary, files, gated: { inert, withheld: [...new Set(withheld)] } };
}

/** A text of the run outside its result, such as a question, or the whole of what the result holds in part. */
export function deliverableText(state: RunState, known: KnownTools, text: string): string {
  return changerOf(state, known).text(text);
}

interface Changer {
  readonly made: { inert: number; readonly withheld: string[] };
  readonly text: (text: string, member?: string) => string;
  /** The notice in its place; undefined: it may be shown. */
  readonly withheld: (text: string, member: string) => string | undefined;
}

function changerOf(state: RunState, known: KnownTools): Changer {
  const read = readByRun(state, known);
  const made = { inert: 0, withheld: [] as string[] };
  const isLive = liveAddress(state, read);
  const sourceOf = keySource(read);
  const unreadableIn = unreadableSearch(read);
  const withheld: Changer['withheld'] = (text, member) => {
    const unreadable = unreadableIn(text);
    const source = unreadable === undefined ? sourceOf(text) : undefined;
    if (unreadable === undefined && source === undefined) return undefined;
    made.withheld.push(member);
    return unreadable === undefined
      ? `[gate] Withheld: it holds a key of ${source}, and the Task does not ask for it (rule flow/key-in-reply).`
      : `[gate] Withheld: it holds something of ${told(unreadable)}, which whoever asked may not read (rule ${READERS_RULE}).`;
  };
  return {
    made,
    withheld,
    text: (text, member = 'text') => {
      const notice = withheld(text, member);
      if (notice !== undefined) return notice;
      const inert = inertText(text, (address) => isLive(address, member));
      made.inert += inert.count;
      return inert.text;
    },
  };
}

/**
 * A reply of a run that people asked for and that read nothing untrusted holds what a trusted text brought: the output gate has seen to
 * that.
 */
function liveAddress(
  state: RunState,
  { addresses, asked = '', kept = [] }: ReadSoFar,
): (address: WrittenAddress, member: string) => boolean {
  const isTrusted = labelOfRun(state).trust === 'Trusted' && isAskedByPeople(state.spec);
  const named = new Set([...addresses, ...[asked, ...kept].flatMap(addressesIn)]);
  return ({ whole }, member) => (isTrusted && member === 'summary') || whole.some((it) => named.has(it));
}

/** As far as the run's own record holds it: of long outputs, head and tail. */
function readByRun(state: RunState, known: KnownTools): ReadSoFar {
  const { identity, roles, workers, remembered = '', input, principal } = state.spec;
  const instructions = [...Object.values(roles), ...workers].flatMap(({ system }) => system.map(({ text }) => text));
  const items = callsOf(state).map(({ callId, tool, input: given, output, unreadable }): ReadItem => {
    const label = toolResultLabel(known.factsOf(tool), parseJson(given), principal);
    return { recordId: callId, label: unreadable === true ? { ...label, readers: [] } : label, text: output };
  });
  return {
    items,
    addresses: namedAddresses(state),
    instructions: [input],
    kept: [...new Set([identity, ...instructions, remembered])],
    asked: askedOf(state),
    ...(principal === undefined ? {} : { principal }),
  };
}
