/**
 * The calls of a cycle in the form that roles pass on: bounded, and each with its target. They come from the runtime's
 * record; a model's words occur only in the arguments.
 *
 * Source: artoo A.5 (structured records; what a validator sees of an output).
 */
import { canonicalJson, mapTexts, type Json } from '@retainer/contract/std/canonical-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import type { CallRecord } from '../../cycle/state.ts';
import { mayRead, OWNER, type Label } from '../../gate/provenance/label.ts';
import { toolResultLabel } from '../../gate/provenance/tool-result-label.ts';
import type { KnownTools, ToolFacts } from '../../gate/tool-facts.ts';
import { makesFilesOwn } from '../../gate/provenance/own-files.ts';
import { targetOf, targetArguments } from '../../gate/tool-target.ts';

/** Characters of an output. Source: artoo A.5. Differs: a third of them from its head, as everywhere. */
const OUTPUT_CHARACTERS = 3000;

/** Most characters of the arguments, as canonical JSON. */
const INPUT_CHARACTERS_MAX = 4000;

/** Most characters of one text in the arguments; the first limit by which all fit applies. */
const inputTextCharacters = [1000, 100] as const;

/** Most files that one record lists; a script can write any number. */
export const FILES_MAX = 100;

/** In their order. A call with an unknown end is `Unknown`. @param principal  whom the run is for */
export function toolCallRecords(
  calls: readonly CallRecord[],
  known: KnownTools,
  principal = OWNER,
): readonly ToolCallRecord[] {
  return calls.map((call) => recordOf(call, known.factsOf(call.tool), principal));
}

function recordOf(call: CallRecord, facts: ToolFacts, principal: string): ToolCallRecord {
  const label = labelOf(call, facts, principal);
  const target = targetOf(facts, call.input);
  return {
    callId: call.callId,
    tool: call.tool,
    input: boundedInput(call.input, facts),
    ...(target === undefined ? {} : { target }),
    ...(call.end.kind === 'Ran' && !makesFilesOwn(call, facts) ? { replacedByLeave: true as const } : {}),
    ...endOf(call),
    ...(label?.trust === 'Untrusted' ? { untrusted: true } : {}),
    ...(label === undefined || mayRead(label.readers, principal) ? {} : { unreadable: true }),
  };
}

/** Undefined: it did not run. */
function labelOf({ end, input }: CallRecord, facts: ToolFacts, principal: string): Label | undefined {
  return end.kind === 'Ran' ? (end.outcome.label ?? toolResultLabel(facts, input, principal)) : undefined;
}

type End = Omit<ToolCallRecord, 'callId' | 'tool' | 'input' | 'target' | 'untrusted' | 'unreadable'>;

function endOf({ end }: CallRecord): End {
  switch (end.kind) {
    case 'Running':
      return { status: 'Unknown', output: 'The result of this call is not known.', durationMs: 0, files: [] };
    case 'Unrun': {
      const refusal = end.why === 'Refused' || end.why === 'Denied' ? { refusal: refusalIn(end.text) } : {};
      return { status: 'Unrun', output: shown(end.text), durationMs: 0, files: [], ...refusal };
    }
    case 'Ran': {
      const { status, text, exitCode, sandboxFailed, artifactId, outputSha256, durationMs, othersAt } = end.outcome;
      const { files, gone, links } = end.outcome;
      return {
        status,
        output: shown(text),
        sha256: outputSha256,
        durationMs,
        files: files.slice(0, FILES_MAX).map((file) => ({ ...file })),
        ...(gone === undefined ? {} : { gone: gone.slice(0, FILES_MAX) }),
        ...(links === undefined ? {} : { links: links.slice(0, FILES_MAX) }),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(sandboxFailed === undefined ? {} : { sandboxFailed }),
        ...(artifactId === undefined ? {} : { artifactId }),
        ...(othersAt === undefined ? {} : { othersAt: [...othersAt] }),
      };
    }
  }
}

function shown(output: string): string {
  return headAndTail(output, OUTPUT_CHARACTERS);
}

/** The cycle's answer to a refused call: `[refused] REASON (rule RULE)`. */
const refusalSentence = /^\[refused\] (.*) \(rule ([^()]+)\)$/s;

function refusalIn(text: string): { readonly rule: string; readonly reason: string } {
  const [, reason = text, rule = 'unknown'] = refusalSentence.exec(text) ?? [];
  return { rule, reason };
}

/** Always JSON: texts are cut inside it, the target last. Input with too many members keeps only its target. */
function boundedInput(input: Json, facts: ToolFacts): string {
  const whole = canonicalJson(input);
  if (whole.length <= INPUT_CHARACTERS_MAX) return whole;
  const target = targetArguments(facts, input);
  const hasTarget = Object.keys(target).length > 0;
  for (const characters of inputTextCharacters) {
    const cut = mapTexts(input, (text) => headAndTail(text, characters));
    const text = canonicalJson(hasTarget ? { ...(cut as object), ...target } : cut);
    if (text.length <= INPUT_CHARACTERS_MAX) return text;
  }
  return canonicalJson(hasTarget ? target : headAndTail(whole, INPUT_CHARACTERS_MAX / 2));
}
