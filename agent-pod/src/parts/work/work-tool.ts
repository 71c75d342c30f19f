/**
 * What the tools of work have in common. A tool that changes something makes one operation of the part `work`: what fits goes into the
 * record, what does not is answered with its sentence. Its result is in words of ours.
 *
 * I1  The same call makes the same operation: after a crash, the record says by the call's id whether it was made.
 */
import { readMomentText } from '@retainer/contract/schedule/moment-text';
import type { Label } from '@retainer/mind/gate/provenance/label';
import { joinAll } from '@retainer/mind/gate/provenance/label';
import type { ArgumentRole, ToolVerb } from '@retainer/mind/gate/tool-facts';
import type { Making, Operation } from '@retainer/mind/parts/work/operation';
import type { Work } from '@retainer/mind/parts/work/work-state';
import { z } from 'zod';
import { REPLAN_THRESHOLD } from '@retainer/mind/parts/work/forecasts-due';
import { DEFAULT_SETTINGS } from '../jobs/job-tool.ts';
import { ownersOnly } from '../../tools/readable.ts';
import { memoryFacts } from '../../tools/memory-tool.ts';
import { ownFacts, reading, touchesNothing } from '../../tools/plain-tool.ts';
import type { JobSettings, ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';

export interface Given {
  readonly making: Making;
  readonly context: ToolContext;
  readonly jobs: JobSettings;
  /** Of the Agent: the score of a forecast from which on a new plan is suggested. */
  readonly replanThreshold: number;
}

interface Changing<Shape extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  readonly arguments: { readonly [Name in keyof z.infer<Shape>]-?: ArgumentRole };
  /** The argument that names what is changed. */
  readonly target?: keyof z.infer<Shape> & string;
  readonly verb: ToolVerb;
  /** What is left acts later. Absent: it does not. */
  readonly actsLater?: true;
  asks?(input: z.infer<Shape>, work: Work): string | undefined;
  make(input: z.infer<Shape>, given: Given): Operation;
  /** What is told of it afterwards. @param id  of the item or endeavour */
  told(input: z.infer<Shape>, work: Work, id: string, given: Pick<Given, 'replanThreshold'>): string;
}

export function changing<Shape extends z.ZodObject>(of: Changing<Shape>): ToolDescriptor<z.infer<Shape>> {
  const { name, verb } = of;
  type Input = z.infer<Shape>;
  const output = (
    input: Input,
    { parts, callId }: ToolContext,
    given: Pick<Given, 'replanThreshold'>,
  ): ToolOutput | undefined => {
    const { work } = parts.known();
    const id = work.byCall.get(callId);
    return id === undefined ? undefined : { isError: false, text: of.told(input, work, id, given) };
  };
  return {
    facts: {
      ...ownFacts,
      name,
      effectClass: 1,
      actsLater: of.actsLater === true,
      target: { kind: 'Place', parts: of.target === undefined ? [] : [{ member: of.target, as: 'Line' }] },
      verb,
      arguments: of.arguments,
    },
    offer: ({ jobs = DEFAULT_SETTINGS, replanThreshold = REPLAN_THRESHOLD }) => ({
      description: of.description,
      input: of.input as unknown as z.ZodType<Input>,
      touches: touchesNothing,
      ...(of.asks === undefined ? {} : { asks: (input: Input, { work }) => of.asks?.(input, work) }),
      async run(input, context) {
        const refusal = ownersOnly(context, name);
        if (refusal !== undefined) return refusal;
        const made = of.make(input, { making: makingOf(context), context, jobs, replanThreshold });
        if (!made.ok) return { isError: true, text: made.error };
        await context.parts.write(made.value);
        return output(input, context, { replanThreshold }) ?? { isError: false, text: `${name} is recorded` };
      },
      lookup: (input, context) => Promise.resolve(output(input, context, { replanThreshold })),
    }),
  };
}

function makingOf({ callId, runId, cycleId, carried: label, parts, nowMs }: ToolContext): Making {
  return { work: parts.known().work, callId, runId, cycleId, label, atMs: nowMs() };
}

interface Telling<Shape extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  readonly target?: keyof z.infer<Shape> & string;
  tell(input: z.infer<Shape>, context: ToolContext, given: Pick<Given, 'replanThreshold'>): Told;
}

/** A text, and the labels of what it shows: none, if all of it is words of ours. */
export interface Told {
  readonly isError?: true;
  readonly text: string;
  readonly shows: readonly Label[];
}

const OURS: Label = { source: { kind: 'Memory' }, trust: 'Trusted', readers: 'Everyone' };

/** Texts of items and endeavours whose writers had read untrusted text are marked as such: the result has the worst of their labels. */
export function telling<Shape extends z.ZodObject>(of: Telling<Shape>): ToolDescriptor<z.infer<Shape>> {
  return {
    facts: memoryFacts(of.name, of.target),
    offer: ({ replanThreshold = REPLAN_THRESHOLD }) => ({
      description: of.description,
      input: of.input as unknown as z.ZodType<z.infer<Shape>>,
      touches: touchesNothing,
      ...reading((input: z.infer<Shape>, context: ToolContext) => {
        const refusal = ownersOnly(context, of.name);
        if (refusal !== undefined) return Promise.resolve(refusal);
        const { isError = false, text, shows } = of.tell(input, context, { replanThreshold });
        const label = joinAll(shows);
        const source = { kind: 'Memory' as const };
        return Promise.resolve({ isError, text, label: label === undefined ? OURS : { ...label, source } });
      }),
    }),
  };
}

/** A moment as the model writes it. */
export const MomentText = z
  .string()
  .max(40)
  .describe(
    'A moment, as 2030-01-31T08:00 in the time zone of the agent, or with an offset as 2030-01-31T08:00+01:00.',
  );

/** @param field  as the model knows it */
export function momentOf(
  field: string,
  text: string,
  { timeZone }: JobSettings,
): { ok: true; value: number } | { ok: false; error: string } {
  const read = readMomentText(text, timeZone);
  return read.ok
    ? read
    : { ok: false, error: `${field}: ${read.error}; give it as 2030-01-31T08:00 or with an offset.` };
}

export const ItemId = z.string().min(1).max(80).describe('Id of the work item, as w-1a2b3c.');
export const EndeavourId = z.string().min(1).max(80).describe('Id of the endeavour, as e-1a2b3c.');

/** Without what the model left out. */
export function present<T extends object>(all: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}
