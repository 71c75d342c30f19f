import { describe, expect, it } from 'vitest';
import { parseStructuredKind, type StructuredKind } from '../infer/structured-kinds.ts';
import { verifies } from '../../../test/verifies.ts';
import { agentValidatorDuties } from './agent-validator.ts';
import { metaValidatorDuties } from './meta-validator.ts';
import { perceiverDuties } from './perceiver.ts';
import { abandonReportDuties, plannerDuties } from './planner.ts';

/** Duties, the structure they ask for, and how many documents they show. */
const roles: readonly (readonly [StructuredKind, string, number])[] = [
  ['TaskSpec', perceiverDuties, 3],
  ['Plan', plannerDuties, 1],
  ['AbandonReport', abandonReportDuties, 1],
  ['AttemptVerdicts', agentValidatorDuties, 1],
  ['Merge', metaValidatorDuties, 1],
];

/** Characters: what is longer is read worse, and every cycle pays for it. */
const dutiesCharactersMax = 3000;

describe.each(roles)('the duties for %s', (kind, duties, count) => {
  verifies('roles:duties-show-valid-answers', 'show answers that their structure accepts', async () => {
    const documents = duties.match(/^<(\w+)>\n[\s\S]*?^<\/\1>/gm) ?? [];
    expect(documents).toHaveLength(count);
    for (const document of documents) expect(await parseStructuredKind(kind, document)).toMatchObject({ ok: true });
  });

  it('say what is data, are short, and hold no date', () => {
    expect(duties).toMatch(/written by others|is data/);
    expect(duties.length).toBeLessThanOrEqual(dutiesCharactersMax);
    expect(duties).not.toMatch(/\b20\d\d\b/);
  });
});
