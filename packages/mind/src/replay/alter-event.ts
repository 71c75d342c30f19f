/** Changes one member of a recorded event, so that a replay must find the change. Pure. */
import { err, ok, type Result } from '@retainer/contract/std/result';

export interface Alteration {
  readonly store: string;
  readonly seq: number;
  /** Members from the payload down; list positions from 0. */
  readonly path: readonly string[];
  readonly value: unknown;
}

const FORM = 'SEQ:PATH=VALUE or STORE/SEQ:PATH=VALUE, such as 12:answer.content.0.text="no"';

/** Reads `12:answer.content.0.text=no` (store `cycle`) or `run/3:text=no`; the value is JSON, or text when it is not. */
export function parseAlteration(text: string): Result<Alteration, string> {
  const match = /^(?:([a-z][a-z0-9-]*)\/)?(\d{1,15}):([^=]{1,500})=(.*)$/s.exec(text);
  if (match === null) return err(`${JSON.stringify(text)} is not an alteration; use the form ${FORM}`);
  const [, store = 'cycle', seq = '', path = '', value = ''] = match;
  return ok({ store, seq: Number(seq), path: path.split('.'), value: jsonOrText(value) });
}

/** @returns the event with the changed member; the error names the step of the path that does not exist */
export function alterEvent<Event>(event: Event, path: readonly string[], value: unknown): Result<Event, string> {
  const altered = replaceAt(event, path, value);
  return altered.ok ? ok(altered.value as Event) : altered;
}

function replaceAt(target: unknown, path: readonly string[], value: unknown): Result<unknown, string> {
  const [step, ...rest] = path;
  if (step === undefined) return ok(value);
  if (typeof target !== 'object' || target === null || !Object.hasOwn(target, step)) {
    const there = typeof target === 'object' && target !== null ? Object.keys(target).join(', ') : typeof target;
    return err(`no field ${JSON.stringify(step)} here; fields: ${there}`);
  }
  const inner = replaceAt((target as Readonly<Record<string, unknown>>)[step], rest, value);
  if (!inner.ok) return inner;
  if (Array.isArray(target)) return ok(target.with(Number(step), inner.value));
  return ok({ ...target, [step]: inner.value });
}

/** The typed value: JSON, or text when it is not JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
