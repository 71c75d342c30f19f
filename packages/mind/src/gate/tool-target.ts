/**
 * The target of a call as one text, by which a failed target is blocked, remembered and compared.
 *
 * I1  All spellings of a path, an address or a script have one target, unless they exceed the length of a target.
 * I2  The target of a call's recorded arguments is the recorded target, for arguments of any length.
 *
 * Source: artoo A.9 (blocked targets are taken from query, command, path), A.5 (the record round-trips through this).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { oneLine } from '../request/lines.ts';
import { oneAddress } from './provenance/addresses.ts';
import type { TargetKind, TargetPart, ToolFacts } from './tool-facts.ts';
import { parseWorkspacePath } from './workspace-path.ts';

/** For tools that declare no target: the first of these arguments that is a text. Source: artoo A.9. */
const usual: readonly TargetPart[] = [
  { member: 'query', as: 'Line' },
  { member: 'command', as: 'Line' },
  { member: 'path', as: 'Path' },
  { member: 'url', as: 'Address' },
  { member: 'host', as: 'Line' },
  { member: 'script', as: 'Line' },
];

const spellings: Readonly<Record<TargetPart['as'], (text: string) => string>> = {
  Line: oneLine,
  Path: onePath,
  Address: (text) => oneAddress(text)[0] ?? oneLine(text),
};

/** Characters of one argument in a target. A longer argument keeps both ends, with a digest of the whole between them. */
export const TARGET_CHARACTERS_MAX = 800;

/** @returns undefined if the tool has no target, or the arguments do not name one */
export function targetOf(facts: ToolFacts, input: Json): string | undefined {
  const texts = partsOf(facts, input).map(({ member, as, absent }) => {
    const text = textAt(input, member) ?? absent;
    return text === undefined ? undefined : spellings[as](bounded(text));
  });
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join(' in ');
}

/** The kind of a tool's target. Without a declaration it is a place, the stricter kind: another place is another thing. */
export function targetKindOf({ target }: ToolFacts): TargetKind {
  return target?.kind ?? 'Place';
}

/** The arguments that form the target, bounded. Recorded in this form, they satisfy I2. */
export function targetArguments(facts: ToolFacts, input: Json): Readonly<Record<string, string>> {
  const texts = partsOf(facts, input).flatMap(({ member }) => {
    const text = textAt(input, member);
    return text === undefined ? [] : [[member, bounded(text)] as const];
  });
  return Object.fromEntries(texts);
}

function partsOf({ target }: ToolFacts, input: Json): readonly TargetPart[] {
  if (target !== undefined) return target.parts;
  const found = usual.find(({ member }) => textAt(input, member) !== undefined);
  return found === undefined ? [] : [found];
}

function textAt(input: Json, member: string): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, member)) return undefined;
  const value = (input as Readonly<Record<string, Json>>)[member];
  return typeof value === 'string' ? value : undefined;
}

const DIGEST_CHARACTERS = 16;

/** Idempotent. */
function bounded(text: string): string {
  if (text.length <= TARGET_CHARACTERS_MAX) return text;
  const line = oneLine(text);
  if (line.length <= TARGET_CHARACTERS_MAX) return line;
  const mark = `…[sha256:${sha256Hex(line).slice(0, DIGEST_CHARACTERS)}]…`;
  const half = Math.floor((TARGET_CHARACTERS_MAX - mark.length) / 2);
  return `${line.slice(0, half)}${mark}${line.slice(-half)}`.replaceAll(/\p{Surrogate}/gu, '\ufffd').trim();
}

/** An invalid path stays as the model wrote it. */
function onePath(text: string): string {
  const parsed = parseWorkspacePath(text);
  return parsed.ok ? parsed.value : oneLine(text);
}
