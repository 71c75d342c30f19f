import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { helmFault, templateArguments, upgradeArguments, type InstallChoice } from './helm-arguments.ts';

const plain: InstallChoice = {
  release: 'retainer',
  namespace: 'retainer-system',
  values: [],
  set: [],
  resetValues: false,
};
const place = 'upgrade --install retainer CHART --namespace retainer-system --create-namespace';
const keep = '--reset-then-reuse-values';

describe('upgradeArguments', () => {
  const cases: readonly (readonly [name: string, choice: Partial<InstallChoice>, line: string])[] = [
    ['nothing', {}, `${place} ${keep}`],
    ['another cluster', { kubeconfig: 'k', context: 'c' }, `${place} --kubeconfig k --kube-context c ${keep}`],
    ['values and a path', { values: ['a', 'b'], set: ['x=1'] }, `${place} ${keep} --values a --values b --set x=1`],
    ['a registry', { registry: 'r:5000/x' }, `${place} ${keep} --set-json image.registry="r:5000/x"`],
    [
      'a tag that looks like a number',
      { tag: '1.30' },
      `${place} ${keep} --set-json image.operator.tag="1.30" --set-json image.agent.tag="1.30" --set-json image.sandbox.tag="1.30"`,
    ],
    ['nothing of before', { resetValues: true }, `${place} --reset-values`],
    [
      'another release elsewhere',
      { release: 'two', namespace: 'ns' },
      `upgrade --install two CHART --namespace ns --create-namespace ${keep}`,
    ],
  ];
  for (const [name, choice, line] of cases) {
    verifies('cli-cluster:install-arguments', `takes ${name}`, () => {
      expect(upgradeArguments('CHART', { ...plain, ...choice }).join(' ')).toBe(line);
    });
  }
});

describe('templateArguments', () => {
  it('names no cluster', () => {
    const choice = { ...plain, kubeconfig: 'k', context: 'c', set: ['x=1'] };
    expect(templateArguments('CHART', choice).join(' ')).toBe(
      'template retainer CHART --namespace retainer-system --set x=1',
    );
  });
});

describe('helmFault', () => {
  it.each([
    ['v4.1.4+g05fa379', undefined],
    ['v3.17.0+g301108e', undefined],
    ['v3.16.4+g7877b45', /older than 3\.17/],
    ['v2.17.0', /older/],
    ['what?', /printed no version: what\?/],
  ])('judges %s', (printed, fault) => {
    if (fault === undefined) expect(helmFault(printed)).toBeUndefined();
    else expect(helmFault(printed)).toMatch(fault);
  });
});
