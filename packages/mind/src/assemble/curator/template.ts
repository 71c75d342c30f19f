/**
 * The frame around slots: lines with `{{slot}}` and, at the end, `[OMIT IF EMPTY]` or `[OMIT IF ZERO]`. Parsed once; what stands in a
 * slot's value is never read as a part of it.
 *
 * Source: springdrift 3 (template). Differs: braces in a value do not drop its line, and a zero counts wherever it stands.
 */
import { invariant } from '@retainer/contract/std/invariant';

const CONDITIONS = ['EMPTY', 'ZERO'] as const;
type Condition = (typeof CONDITIONS)[number];

type Part = { readonly text: string } | { readonly slot: string };

interface Line {
  readonly parts: readonly Part[];
  readonly omitIf: Condition | undefined;
}

export type Template = readonly Line[];

/** Throws at a slot that is not among `slots`, and at an unknown condition. */
export function parseTemplate(text: string, slots: readonly string[]): Template {
  return text.split('\n').map((line): Line => {
    const [, body = '', condition] = /^(.*?)(?: *\[OMIT IF ([^\]]*)\])?$/.exec(line) ?? [];
    const omitIf = CONDITIONS.find((it) => it === condition);
    invariant(
      condition === undefined || omitIf !== undefined,
      `a line is omitted if ${CONDITIONS.join(' or ')}: ${line}`,
    );
    return { parts: partsOf(body, slots), omitIf };
  });
}

function partsOf(body: string, slots: readonly string[]): readonly Part[] {
  return body.split(/(\{\{\w+\}\})/).flatMap((piece): readonly Part[] => {
    const slot = /^\{\{(\w+)\}\}$/.exec(piece)?.[1];
    if (slot === undefined) return piece === '' ? [] : [{ text: piece }];
    invariant(slots.includes(slot), `the template has the slots ${slots.join(', ')}, not ${slot}`);
    return [{ slot }];
  });
}

/** @param values  absent: empty */
export function fillTemplate(template: Template, values: Readonly<Record<string, string>>): string {
  const lines = template.flatMap(({ parts, omitIf }) => {
    const filled = parts.map((part) => ('text' in part ? part.text : (values[part.slot] ?? '')));
    const told = parts.flatMap((part) => ('slot' in part ? [(values[part.slot] ?? '').trim()] : []));
    if (omitIf === 'EMPTY' && told.every((it) => it === '')) return [];
    if (omitIf === 'ZERO' && told.every((it) => !/[1-9]/.test(it))) return [];
    return [filled.join('')];
  });
  return lines.join('\n');
}
