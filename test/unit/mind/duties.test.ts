import { describe, expect, it } from 'vitest';
import { createRegistry } from '@retainer/agent-pod/parts/catalog';
import type { AnswerKind } from '@retainer/contract/api/roles';
import { answerForm, answers } from '@retainer/mind/request/answers';
import { parseStructured } from '@retainer/agent-pod/infer/structured';
import { filledForms } from '../../support/filled-form.ts';
import { verifies } from '../../verifies.ts';
import { agentValidatorDuties } from '@retainer/mind/agents/agent-validator';
import { metaValidatorDuties } from '@retainer/mind/agents/meta-validator';
import { perceiverDuties } from '@retainer/mind/agents/perceiver';
import { abandonReportDuties, plannerDuties } from '@retainer/mind/agents/planner';
import { workers } from '@retainer/mind/agents/workers';

const anything: unknown = expect.anything();

/** Duties, the structure they ask for, and how many documents they show. */
const roles: readonly (readonly [AnswerKind, string, number])[] = [
  ['TaskSpec', perceiverDuties, 3],
  ['Plan', plannerDuties, 1],
  ['AbandonReport', abandonReportDuties, 1],
  ['AttemptVerdicts', agentValidatorDuties, 1],
  ['Merge', metaValidatorDuties, 1],
];

/** Characters: what is longer is read worse, and every cycle pays for it. */
const dutiesCharactersMax = 3000;

describe.each(workers)('the duties of the worker $name', ({ duties, needs, tools }) => {
  it('say what is data, are short, and hold no date', () => {
    expect(duties).toMatch(/is data/);
    expect(duties.length).toBeLessThanOrEqual(dutiesCharactersMax);
    expect(duties).not.toMatch(/\b20\d\d\b/);
  });

  it('are for tools that there are', () => {
    const languages = ['bash', 'javascript', 'python'] as const;
    const fetch = { allowedDomains: ['*'], ports: [443], bytesMax: 1024, timeoutMs: 1000, redirectsMax: 0 };
    const mail = { address: 'ada@agents.example', allowedRecipients: [] };
    const { names } = createRegistry({ sandboxLanguages: languages, code: { serve: true }, fetch, mail });
    expect(names).toEqual(expect.arrayContaining([...tools]));
    expect(tools).toContain(needs);
  });
});

describe.each(roles)('the duties for %s', (kind, duties, count) => {
  verifies(
    'roles:duties-show-valid-answers',
    'show forms that their structure accepts once they are filled',
    async () => {
      const filled = filledForms(kind);
      expect(answerForm(kind, 'Xml').match(/^<(\w+)>\n[\s\S]*?^<\/\1>/gm)).toEqual(
        answers[kind].forms.map(({ xml }) => xml),
      );
      expect(answerForm(kind, 'Schema').match(/^\{.*\}$/gm)).toHaveLength(count);
      expect(filled).toHaveLength(count);
      for (const { json, xml } of filled)
        for (const text of [JSON.stringify(json), xml])
          expect(await parseStructured(kind, text, '')).toEqual({ ok: true, value: anything });
    },
  );

  it('say what is data, are short, and hold no date', () => {
    expect(duties).toMatch(/written by others|is data/);
    expect(duties.length).toBeLessThanOrEqual(dutiesCharactersMax);
    expect(duties).not.toMatch(/\b20\d\d\b/);
  });
});
