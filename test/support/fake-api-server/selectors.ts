/** Label and field selectors. Source: Kubernetes documentation, Labels and Selectors; Field Selectors. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { memberAt } from './json.ts';
import { refusals } from './refusal.ts';
import type { ServedResource } from './served-resource.ts';

export type Selector = (object: KubeObject) => boolean;

const SET_BASED = /^([\w./-]+)\s+(in|notin)\s+\(([^)]*)\)$/;
const EQUALITY = /^([\w./-]+)\s*(==|!=|=)\s*([\w.-]*)$/;
const EXISTENCE = /^(!?)\s*([\w./-]+)$/;

/** Commas that are not inside parentheses separate requirements. */
function requirementsOf(text: string): readonly string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

function labelTest(requirement: string): LabelTest {
  const [, setKey = '', operator, values = ''] = SET_BASED.exec(requirement) ?? [];
  if (operator !== undefined) {
    const wanted = new Set(values.split(',').map((value) => value.trim()));
    const isIn: LabelTest = (labels) => labels[setKey] !== undefined && wanted.has(labels[setKey]);
    return operator === 'in' ? isIn : (labels) => !isIn(labels);
  }
  const [, key = '', sign, value = ''] = EQUALITY.exec(requirement) ?? [];
  if (sign !== undefined) return (labels) => (labels[key] === value) === (sign !== '!=');
  const [, not, name] = EXISTENCE.exec(requirement) ?? [];
  if (name === undefined) throw refusals.badRequest(`unable to parse requirement: ${requirement}`);
  return (labels) => Object.hasOwn(labels, name) === (not !== '!');
}

export function labelSelector(text: string): Selector {
  const tests = requirementsOf(text).map(labelTest);
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
}

/** @throws Refusal  where the resource cannot be selected by a field */
export function fieldSelector(text: string, { selectableFields }: ServedResource): Selector {
  const known = new Set(['metadata.name', 'metadata.namespace', ...selectableFields]);
  const tests = requirementsOf(text).map((requirement): Selector => {
    const [, path = '', sign, value = ''] = /^([\w.]+)(==|!=|=)(.*)$/.exec(requirement) ?? [];
    if (!known.has(path)) throw refusals.badRequest(`field label not supported: ${path || requirement}`);
    return (object) => (scalarText(memberAt(object, path)) === value) === (sign !== '!=');
  });
  return (object) => tests.every((test) => test(object));
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
