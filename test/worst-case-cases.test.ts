import { describe, expect, it } from 'vitest';
import { everyCase } from '@retainer/agent-pod/attack/cases/every-case';
import { caseOf, groupOf, GROUPS, rulesNaming, WITHOUT_EFFECT } from './support/worst-case/can-succeed.ts';
import { verifies } from './verifies.ts';

const ids = [...new Set(everyCase.map(caseOf))];

describe('the list of cases that never have an effect', () => {
  verifies(
    'worst-case:cases-can-fail',
    'names cases that are there, each with a reason, and none that a rule holds',
    () => {
      const listed = Object.keys(WITHOUT_EFFECT);
      expect(listed.filter((id) => !ids.includes(id) || WITHOUT_EFFECT[id] === '')).toEqual([]);
      expect(listed.filter((id) => rulesNaming(id).length > 0)).toEqual([]);
    },
  );
});

describe('a group of cases', () => {
  it.each(Object.keys(GROUPS))('has some: %s', (group) => {
    expect(ids.filter((id) => groupOf(id) === group)).not.toEqual([]);
  });

  verifies('worst-case:cases-can-fail', 'that no gate holds has rules that hold each of its cases', () => {
    const planted = ids.filter((id) => groupOf(id) === 'planted code');
    expect(planted.filter((id) => rulesNaming(id).length === 0)).toEqual([]);
  });
});
