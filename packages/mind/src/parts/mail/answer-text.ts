/** The text of an answer to a letter. */

interface Answered {
  readonly outcome: string;
  readonly summary: string;
  readonly unmet?: unknown;
}

/** Outcomes whose words are the agent's own result. */
const TOLD: ReadonlySet<string> = new Set(['Accepted', 'Succeeded']);

/** Of every other outcome: no word of a model, and nothing of what was read. */
const FIXED: Readonly<Record<string, string>> = {
  Refused: 'I may not answer this letter: a rule of mine refused it.',
  Cancelled: 'The work on this letter was cancelled.',
  Abandoned: 'I could not do what this letter asks.',
  Failed: 'I could not work on this letter, because of a fault that is not yours.',
};

/** @param runId  by which the people who run the agent find out more */
export function answerText({ outcome, summary, unmet }: Answered, runId: string): string {
  const end = `\n\n-- \nRun ${runId}`;
  if (!TOLD.has(outcome)) return `${FIXED[outcome] ?? FIXED['Failed']}${end}`;
  const missing = Array.isArray(unmet) ? unmet.filter((it): it is string => typeof it === 'string') : [];
  const rest = missing.length === 0 ? '' : `\n\nNot reached: ${missing.join('; ')}`;
  return `${summary}${rest}${end}`;
}
