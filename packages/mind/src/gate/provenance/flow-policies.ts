/**
 * Where data may flow: the policies of the tool gate that judge a call by what the cycle has read.
 *
 * I1  Rule of two: in a cycle that has read both untrusted text and private data, no call that reads outside runs, except to an
 *     address that the Task names. No approval lifts this.
 * I2  A cycle that has read untrusted text changes nothing outside, and leaves nothing by which the agent acts later, without a
 *     person's permission for exactly that call, whatever the character grants alone, unless only people and records chose the call
 *     (`shown-calls.ts`).
 * I3  No call's arguments contain a known secret, and the arguments of no call that reaches outside contain private data, in any
 *     form that `hidden-forms.ts` knows.
 *
 * Source: design 5; reliability-security 4 (rule of two, fixed recipients).
 * Differs: for class 3 and above, the rule of two also admits a person's permission. It is the supervision that the rule demands,
 * bound to the exact arguments. A person is never asked to permit web reading under the rule of two: such questions would be
 * many, and the text of an address says little.
 */
import { OUTWARD_EFFECT_CLASS, type KnownTools, type ToolFacts } from '../tool-facts.ts';
import type { ToolPolicy } from '../tool-policies.ts';
import type { CallFacts, Verdict } from '../verdict.ts';
import { tellingSearch } from './hidden-forms.ts';
import { sourceWords } from './label.ts';
import { isKnownOutside, isNamedByTask } from './outward-address.ts';
import { firstPrivate, firstUntrusted } from './read-so-far.ts';
import { asksOwnService } from './own-account.ts';
import type { ReadItem, ReadSoFar } from './read-item.ts';
import { whyUnshown } from './shown-calls.ts';

/** Lowest effect class that changes something outside. */
const WRITING_EFFECT_CLASS = 3;

/** Of the cycle that makes the call. */
export interface Circumstances {
  readonly read?: ReadSoFar | undefined;
  readonly autonomous: boolean;
}

function verdict(kind: 'Reject' | 'Escalate', rule: string, reason: string): Verdict {
  return { gate: 'Tool', kind, rule, reason };
}

/** Only the code that receives the model's answer knows the secrets; the record says only whether one was found. */
export const secretsPolicy: ToolPolicy = {
  name: 'secrets/in-arguments',
  judge: (_call, { holdsSecret }) =>
    holdsSecret === true
      ? verdict(
          'Reject',
          'secrets/in-arguments',
          'Its arguments hold a secret of this installation, plain or in another form. Secrets go nowhere.',
        )
      : undefined,
};

export const ruleOfTwoPolicy: ToolPolicy = {
  name: 'flow/rule-of-two',
  judge(call, { read }) {
    if (read === undefined || call.effectClass !== OUTWARD_EFFECT_CLASS || isNamedByTask(call, read)) return undefined;
    const untrusted = firstUntrusted(read.items);
    const secret = firstPrivate(read.items);
    if (untrusted === undefined || secret === undefined) return undefined;
    return verdict(
      'Reject',
      'flow/rule-of-two',
      `This work has read untrusted text from ${told(untrusted)} and private data from ${told(secret)}, so it may ask outside only at addresses that the Task names, word for word.`,
    );
  },
};

/** A job's words wait for a run that has read nothing: after untrusted text, private data is not put off either. */
export function privateArgumentsPolicy(known: KnownTools): ToolPolicy {
  return {
    name: 'flow/private-in-arguments',
    judge(call, { read, autonomous }) {
      if (read === undefined || isNamedByTask(call, read)) return undefined;
      const isPutOff = known.factsOf(call.tool).actsLater && firstUntrusted(read.items) !== undefined;
      if (call.effectClass < OUTWARD_EFFECT_CLASS && !isPutOff) return undefined;
      const leaked = leakedSource(call, read, autonomous && call.effectClass === OUTWARD_EFFECT_CLASS);
      return leaked === undefined
        ? undefined
        : verdict(
            'Reject',
            'flow/private-in-arguments',
            `Its arguments hold something of ${leaked}, which those who would receive it may not read.`,
          );
    },
  };
}

/**
 * Escalates unknown addresses. On autonomous paths only people and public pages choose addresses, even if nothing untrusted was
 * read: an instruction may come from a skill or a tool's description, which have no label.
 *
 * @param hosts  the character's allow-list: hosts that may receive data of no particular person
 */
export function untrustedAddressPolicy(hosts: readonly string[]): ToolPolicy {
  return {
    name: 'flow/new-address',
    judge(call, { read, autonomous }) {
      if (read === undefined || call.effectClass !== OUTWARD_EFFECT_CLASS) return undefined;
      const why = doubtOf({ read, autonomous });
      if (why === undefined || isKnownOutside(call, read, hosts)) return undefined;
      return verdict(
        'Escalate',
        'flow/new-address',
        `${why}, and the address stands neither in what the Task asks for (intent, scope, criteria) nor on a page of the same site: it could carry something out.`,
      );
    },
  };
}

export function taintedEffectPolicy(known: KnownTools): ToolPolicy {
  return {
    name: 'taint/effect-class',
    judge(call, { read }) {
      const { actsLater } = known.factsOf(call.tool);
      if (read === undefined || (call.effectClass < WRITING_EFFECT_CLASS && !actsLater)) return undefined;
      const untrusted = firstUntrusted(read.items);
      const why = untrusted === undefined ? undefined : whyUnshown(call, read, known);
      if (untrusted === undefined || why === undefined) return undefined;
      return verdict(
        'Escalate',
        'taint/effect-class',
        `${actsLater ? 'It lets the agent act later' : 'It changes something outside'}, this work has read untrusted text from ${told(untrusted)}, and ${why}. A person has to approve exactly this call first.`,
      );
    },
  };
}

/** Whether a tool only reads outside, at a place that its arguments name: its request sends data there. */
export function asksOutside(facts: ToolFacts): boolean {
  return facts.effectClass === OUTWARD_EFFECT_CLASS && !asksOwnService(facts);
}

/** Why a stranger may have caused the call; undefined if a person watches and nothing untrusted was read. */
export function doubtOf({ read, autonomous }: Circumstances): string | undefined {
  if (read === undefined) return undefined;
  const untrusted = firstUntrusted(read.items);
  if (untrusted !== undefined) return `This work has read untrusted text from ${told(untrusted)}`;
  return autonomous ? `Nobody watches this work (${instructionsOf(read)})` : undefined;
}

/** Where a stranger may have spoken if no labelled item is untrusted: skills, descriptions of tools, the Task's input. */
export function instructionsOf({ cycleId }: Pick<ReadSoFar, 'cycleId'>): string {
  return cycleId === undefined ? 'its instructions' : `its instructions, record ${cycleId}`;
}

export function told({ label, recordId }: ReadItem): string {
  return `${sourceWords(label.source)}, record ${recordId}`;
}

/** The source of private data in the arguments; instructions and input count only in a tainted or unwatched cycle. */
function leakedSource(call: CallFacts, read: ReadSoFar, isUnwatched: boolean): string | undefined {
  const { items, instructions } = read;
  const holdsAny = tellingSearch(call.argumentsText);
  const secret = items.find(({ label, text }) => label.readers !== 'Everyone' && holdsAny(text));
  if (secret !== undefined) return told(secret);
  const counts = isUnwatched || firstUntrusted(items) !== undefined;
  return counts && instructions.some(holdsAny) ? instructionsOf(read) : undefined;
}
