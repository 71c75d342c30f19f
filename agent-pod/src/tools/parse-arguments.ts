/** Parses tool arguments from a model. The error says what is wrong and how to correct it. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import { argumentsDigest } from '@retainer/mind/gate/arguments-digest';
import type { CallFacts } from '@retainer/mind/gate/verdict';
import type { Tool } from './tool.ts';
import { wellFormed } from './well-formed.ts';

/** Faults reported at once. More would not help the model. */
const MAX_FAULTS = 5;
/** Characters of a wrong value that are repeated to the model. */
const MAX_SHOWN_CHARACTERS = 60;

export interface ParsedCall {
  readonly input: unknown;
  readonly facts: CallFacts;
}

/** Parses arguments as the model gave them. Idempotent. */
export function parseArguments(tool: Tool, input: unknown): Result<ParsedCall, string> {
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) return err(faultText(tool, input, parsed.error.issues));
  const { name, effectClass } = tool.facts;
  const argumentsText = canonicalJson(parsed.data);
  return ok({
    input: parsed.data,
    facts: {
      tool: name,
      effectClass,
      ...tool.touches(parsed.data),
      argumentsText,
      argumentsDigest: argumentsDigest(name, argumentsText),
    },
  });
}

function faultText(tool: Tool, input: unknown, issues: readonly z.core.$ZodIssue[]): string {
  const faults = issues.slice(0, MAX_FAULTS).map((issue) => faultSentence(input, issue));
  const more = issues.length > MAX_FAULTS ? [`${issues.length - MAX_FAULTS} more faults.`] : [];
  return [`${tool.facts.name} was not run.`, ...faults, ...more, `It takes: ${signature(tool)}.`].join(' ');
}

function faultSentence(input: unknown, issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `There is no argument ${issue.keys.map((key) => shown(key)).join(', ')}.`;
  }
  const value = issue.path.reduce<unknown>(memberOf, input);
  const where = issue.path.length === 0 ? 'The arguments' : `The argument "${issue.path.join('.')}"`;
  if (value === undefined && issue.path.length > 0) return `${where} is missing.`;
  const verb = issue.path.length === 0 ? 'are' : 'is';
  const message = issue.message.replace(/^Invalid input: /, '');
  if (issue.code === 'custom') return `${where} (${shown(value)}) ${message}.`;
  return `${where} ${verb} ${shown(value)}: ${message}.`;
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN_CHARACTERS ? text : `${wellFormed(text.slice(0, MAX_SHOWN_CHARACTERS))}…`;
}

function signature(tool: Tool): string {
  const schema = inputSchemaOf(tool);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(schema.properties ?? {});
  return names.length === 0
    ? 'no arguments'
    : names.map((name) => (required.has(name) ? name : `${name} (optional)`)).join(', ');
}

/** JSON Schema of the model's arguments, before normalisation. */
export function inputSchemaOf(tool: Tool): z.core.JSONSchema.JSONSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  return schema;
}
