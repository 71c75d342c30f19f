/** The words of an answer to a letter, from the result of its run. Pure. */
import type { DeliveryBody } from '../ports/ports.ts';

/** Lines of each list, and characters of each line: the record has all. */
const LINES_MAX = 12;
const LINE_CHARACTERS_MAX = 300;

/** Outcomes whose result is the answer. The texts of all others may be what a gate refused. */
const ANSWERED: ReadonlySet<string> = new Set(['Accepted', 'Succeeded', 'Abandoned']);

/** What is said instead, with nothing of a model in it. */
const FIXED: Readonly<Record<string, string>> = {
  Refused: 'I cannot answer this letter: what it needs is not allowed, or no answer was found that I may give.',
  Cancelled: 'A person has stopped the work on this letter, so there is no answer.',
  Failed: 'I could not work on this letter, because something failed. Please write again later.',
};

export interface MailText {
  /** `Fixed`: words of ours alone. */
  readonly kind: 'Reply' | 'Fixed';
  readonly text: string;
}

export function mailText(runId: string, body: DeliveryBody): MailText {
  const { outcome, summary } = body;
  // `retainer explain` finds everything else by it.
  const reference = `Reference: ${runId}`;
  if (!ANSWERED.has(outcome)) return { kind: 'Fixed', text: `${FIXED[outcome] ?? FIXED['Failed']}\n\n${reference}` };
  const parts = [
    summary.trim(),
    listed('Not done, or not shown:', unmetOf(body)),
    listed('Stated above, but nothing shows it:', textsIn(body['unsupported'])),
    reference,
  ];
  return { kind: 'Reply', text: parts.filter((it) => it !== '').join('\n\n') };
}

/** What the run names as missing, and criteria that nobody could prove. */
function unmetOf(body: DeliveryBody): readonly string[] {
  const criteria = Array.isArray(body['criteria']) ? (body['criteria'] as readonly unknown[]) : [];
  const unproven = criteria.flatMap((it): readonly string[] => {
    const { text, verdict } = (it ?? {}) as { readonly text?: unknown; readonly verdict?: unknown };
    return typeof text === 'string' && verdict !== 'Met' ? [text] : [];
  });
  return [...new Set([...textsIn(body['unmet']), ...unproven])];
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((it): it is string => typeof it === 'string' && it.trim() !== '') : [];
}

function listed(title: string, texts: readonly string[]): string {
  if (texts.length === 0) return '';
  const lines = texts.slice(0, LINES_MAX).map((it) => `- ${oneLine(it)}`);
  const more = texts.length > LINES_MAX ? [`- and ${texts.length - LINES_MAX} more`] : [];
  return [title, ...lines, ...more].join('\n');
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LINE_CHARACTERS_MAX ? line : `${line.slice(0, LINE_CHARACTERS_MAX)}…`;
}
