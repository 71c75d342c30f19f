import { readFileSync } from 'node:fs';
import { invariant } from '@retainer/contract/std/invariant';
import { compileCharacter } from '@retainer/mind/gate/compile-character';
import { callPolicies } from '@retainer/mind/gate/verdict-steps';
import { describe, expect, it } from 'vitest';
import { mutants } from '../scripts/mutant-list.mjs';
import { RULES } from './support/worst-case/rules.ts';
import { WITHOUT_ATTACK } from './support/worst-case/without-attack.ts';
import { testTools } from './support/known-tools.ts';
import { repositoryRoot } from './support/repository-files.ts';
import { characterSpec } from './support/agents.ts';
import { verifies } from './verifies.ts';
import { everyCase } from '@retainer/agent-pod/attack/cases/every-case';
import { gateGoals, codeGoals } from '@retainer/agent-pod/attack/goals';

/** A character that has a rule of every kind. */
const spec = characterSpec({
  gatePolicies: {
    allowLists: { paths: ['out/**'], domains: ['example.org'] },
    tool: {
      rules: (['Reject', 'Escalate'] as const).map((verdict) => {
        return { id: verdict.toLowerCase(), description: 'No.', pattern: 'x', verdict, reason: 'No.' };
      }),
    },
  },
}).spec;

/** What the list calls the policies that a character names. */
const GROUPS: Readonly<Record<string, string>> = {
  'authority.never/data-is-read-only': 'authority.never',
  'authority.consult/notes-need-leave': 'authority.consult',
  'tool-rules/reject': 'tool-rules, refusing',
  'tool-rules/escalate': 'tool-rules, asking',
};

describe('the list of rules that the harness takes out', () => {
  verifies('worst-case:each-rule', 'has every policy of the tool gate', () => {
    const errors: string[] = [];
    const { refusing, asking } = callPolicies(compileCharacter(spec, testTools, errors), testTools);
    expect(errors).toEqual([]);
    const names = [...refusing, ...asking].map(({ name }) => GROUPS[name] ?? name);
    expect(names.filter((name) => !RULES.some((rule) => rule.name === name))).toEqual([]);
  });

  it('names each once', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
  });

  verifies(
    'worst-case:each-rule',
    'leaves out rules for a reason that the reference tells, and mutants change those',
    () => {
      const page = readFileSync(`${repositoryRoot}/docs/gates-reference.md`, 'utf8');
      for (const { rule, why, mutants: beginning } of WITHOUT_ATTACK) {
        expect(page).toContain(`| ${rule} | ${why} |`);
        expect(mutants.filter(({ name }) => name.startsWith(beginning)).length, rule).toBeGreaterThan(0);
        expect(RULES.some(({ name }) => name === rule)).toBe(false);
      }
    },
  );

  it.each(RULES)('fits the sources: $name', ({ change: { file, text, becomes }, coveredBy = [] }) => {
    expect(readFileSync(`${repositoryRoot}/${file}`, 'utf8').split(text)).toHaveLength(2);
    expect(becomes).not.toBe(text);
    expect(coveredBy.filter((name) => !RULES.some((rule) => rule.name === name))).toEqual([]);
  });

  it.each(RULES)('names attacks that are there: $name', ({ attacks }) => {
    expect(attacks.length).toBeGreaterThan(0);
    const ids = new Set([...gateGoals, ...codeGoals].map(({ id }) => id).concat('PlantFact'));
    for (const attack of attacks) {
      const [id] = attack.split(' by ');
      invariant(id !== undefined, 'an attack has an id');
      expect(ids.has(id) || everyCase.some(({ name }) => name === attack), attack).toBe(true);
    }
  });
});
