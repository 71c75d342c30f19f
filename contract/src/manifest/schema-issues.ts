/** Translates zod's issues into faults for the authors of manifests. */
import type { z } from 'zod';
import { isRecord, type ValuePath } from './cel-rules.ts';
import { renderFound } from './manifest-error.ts';
import type { StructureFault } from './structure-faults.ts';

type Issue = z.core.$ZodIssue;

/** @param value  the whole parsed object */
export function schemaFault(issue: Issue, value: unknown): StructureFault {
  const path = issue.path.filter((step): step is string | number => typeof step !== 'symbol');
  const found = valueAt(value, path);
  const candidates = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  return { path, found: renderFound(found), allowed: allowedBy(issue, found), candidates };
}

/** Undefined without a value at the path. */
export function valueAt(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((at, step) => {
    if (Array.isArray(at)) return at[Number(step)];
    return isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

function allowedBy(issue: Issue, found: unknown): string {
  const required = found === undefined ? 'required: ' : '';
  switch (issue.code) {
    case 'invalid_value':
      return `${required}${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return `${required}${NAMES[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return `at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
    case 'too_small':
      return `at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `text that matches ${issue.pattern}` : `a ${issue.format}`;
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return issue.message;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'fields',
  record: 'fields',
  array: 'a list',
};
