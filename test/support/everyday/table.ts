/** Everyday Tasks as the table of `docs/gates-reference.md` shows them. */
export interface EverydayRow {
  readonly name: string;
  readonly outcome: string;
  readonly questions: number;
  readonly isUntrusted: boolean;
}

const HEAD = ['what people ask for', 'ends', 'questions', 'rests on untrusted data'];

export function everydayTable(rows: readonly EverydayRow[]): string {
  const lines = together(rows).map(({ name, outcome, questions, isUntrusted }) => [
    ...[name, outcome, String(questions), isUntrusted ? 'yes' : 'no'],
  ]);
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** One row for each name: Tasks that belong together count together. */
export function together(rows: readonly EverydayRow[]): readonly EverydayRow[] {
  return [...new Set(rows.map(({ name }) => name))].map((name) => {
    const same = rows.filter((it) => it.name === name);
    return {
      name,
      outcome: [...new Set(same.map(({ outcome }) => outcome))].join(', '),
      questions: same.reduce((sum, { questions }) => sum + questions, 0),
      isUntrusted: same.some(({ isUntrusted }) => isUntrusted),
    };
  });
}
